/** Signing in with a token. The token is exchanged for a cookie and kept nowhere. */
import { useState } from "preact/hooks";
import { signIn } from "../api/calls.ts";
import type { Identity } from "../../client/types.ts";
import { Button, Trouble } from "../parts/basics.tsx";
import { useAction } from "../parts/dialog.tsx";
import { useTitle } from "../parts/hooks.ts";

export function SignInPage(props: {
  readonly wasIn: boolean;
  readonly onSignedIn: (identity: Identity) => void;
}) {
  useTitle("Sign in");
  const [token, setToken] = useState("");
  const { isBusy, error, run } = useAction(async () => props.onSignedIn(await signIn(token)));
  return (
    <main class="page narrow sign-in">
      <h1>
        <img src="/icon.svg" alt="" width="32" height="32" /> Sendonce
      </h1>
      {props.wasIn ? (
        <p class="notice" role="status">
          Your session is over. Sign in to go on where you were.
        </p>
      ) : null}
      <form
        class="card form"
        onSubmit={(event) => {
          event.preventDefault();
          run();
        }}
      >
        <label class="field">
          <span class="label">Token</span>
          <input
            type="password"
            name="token"
            autocomplete="current-password"
            required
            value={token}
            onInput={(event) => setToken(event.currentTarget.value)}
            aria-describedby="token-hint"
          />
          <span class="hint" id="token-hint">
            The secret <code>OPERATOR_TOKEN</code> to operate, or <code>VIEWER_TOKEN</code> to look.
          </span>
        </label>
        {error === null ? null : <Trouble error={error} />}
        <Button type="submit" kind="primary" disabled={isBusy}>
          Sign in
        </Button>
      </form>
    </main>
  );
}
