/** The frame around every page: who is signed in, where one is, and the way out. */
import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, whenSignedOut } from "./api/ask.ts";
import { signOut, whoAmI } from "./api/calls.ts";
import type { Identity } from "../client/types.ts";
import { forgetForms } from "./open-form.ts";
import { Loading, Trouble } from "./parts/basics.tsx";
import { Link, useNavigation } from "./parts/navigation.tsx";
import { IdentityContext } from "./parts/session.tsx";
import { CAMPAIGNS, PEOPLE, type Place } from "./route.ts";
import { CampaignPage } from "./pages/campaign.tsx";
import { CampaignsPage } from "./pages/campaigns.tsx";
import { CreatePage } from "./pages/create.tsx";
import { PeoplePage } from "./pages/people.tsx";
import { SignInPage } from "./pages/sign-in.tsx";

type Session =
  | { readonly kind: "asking" }
  | { readonly kind: "failed"; readonly error: unknown }
  | { readonly kind: "out"; readonly wasIn: boolean }
  | { readonly kind: "in"; readonly identity: Identity };

function useSession() {
  const [session, setSession] = useState<Session>({ kind: "asking" });
  const ask = (): void => {
    whoAmI().then(
      (identity) => setSession({ kind: "in", identity }),
      (error: unknown) => {
        const isOut = error instanceof ApiError && ["noToken", "sessionEnded"].includes(error.code);
        setSession(isOut ? { kind: "out", wasIn: false } : { kind: "failed", error });
      },
    );
  };
  useEffect(() => {
    whenSignedOut(() =>
      // Several requests may be refused for the same reason.
      setSession((before) =>
        before.kind === "out" ? before : { kind: "out", wasIn: before.kind === "in" },
      ),
    );
    ask();
  }, []);
  return { session, setSession, ask };
}

export function App() {
  const { session, setSession, ask } = useSession();
  switch (session.kind) {
    case "asking":
      return <Loading what="Sendonce" />;
    case "failed":
      return (
        <main class="page narrow">
          <h1>Sendonce</h1>
          <Trouble error={session.error} onRetry={ask} />
        </main>
      );
    case "out":
      return (
        <SignInPage
          wasIn={session.wasIn}
          onSignedIn={(identity) => setSession({ kind: "in", identity })}
        />
      );
    case "in":
      return (
        <IdentityContext.Provider value={session.identity}>
          <Frame
            identity={session.identity}
            onSignOut={() => {
              forgetForms();
              void signOut().finally(() => setSession({ kind: "out", wasIn: false }));
            }}
          />
        </IdentityContext.Provider>
      );
  }
}

function Frame({
  identity,
  onSignOut,
}: {
  readonly identity: Identity;
  readonly onSignOut: () => void;
}) {
  const { place } = useNavigation();
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  const page = place.page === "campaign" ? place.id : place.page;
  useEffect(() => {
    // A new page is announced by its heading; the first one is where the reader is already.
    if (!isFirst.current) main.current?.focus();
    isFirst.current = false;
  }, [page]);
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <header class="top">
        <Link to={CAMPAIGNS} class="brand">
          <img src="/icon.svg" alt="" width="22" height="22" />{" "}
          <span class="brand-name">Sendonce</span>
        </Link>
        <nav aria-label="Main">
          <Link to={CAMPAIGNS} current={place.page === "campaigns"}>
            Campaigns
          </Link>
          <Link to={PEOPLE} current={place.page === "people"}>
            People
          </Link>
        </nav>
        <span class="who">
          <span class="role">{identity.role}</span>
          <button type="button" class="quiet" onClick={onSignOut}>
            Sign out
          </button>
        </span>
      </header>
      <main id="main" class="page" ref={main} tabIndex={-1}>
        <PageOf place={place} />
      </main>
    </>
  );
}

function PageOf({ place }: { readonly place: Place }) {
  switch (place.page) {
    case "campaigns":
      return <CampaignsPage />;
    case "create":
      return <CreatePage />;
    case "people":
      return <PeoplePage />;
    case "campaign":
      return <CampaignPage key={place.id} place={place} />;
  }
}
