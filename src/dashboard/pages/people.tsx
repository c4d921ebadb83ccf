/** What is held about one person in all campaigns, and the addresses that nobody may mail. */
import { useState } from "preact/hooks";
import { ApiError } from "../api/ask.ts";
import { erasePerson, getPerson, liftSuppression, suppress, personPath } from "../api/calls.ts";
import type { Erasure, Person } from "../../client/types.ts";
import { Button, Card, Empty, StatusPill, Trouble } from "../parts/basics.tsx";
import { Confirm, useAction } from "../parts/dialog.tsx";
import { useTitle } from "../parts/hooks.ts";
import { Link } from "../parts/navigation.tsx";
import { SearchForm } from "../parts/search-form.tsx";
import { useIsOperator } from "../parts/session.tsx";
import { campaignPlace } from "../route.ts";
import { ofErasePerson, ofLift, ofSuppress, type Consequence } from "../text/consequence.ts";
import { counted, dateTime } from "../text/format.ts";
import { REASON_LABELS } from "../text/segments.ts";
import { SuppressionsCard } from "./suppressions-card.tsx";

export function PeoplePage() {
  useTitle("People");
  const [changes, setChanges] = useState(0);
  return (
    <>
      <header class="page-head">
        <h1>People</h1>
      </header>
      <PersonCard onChanged={() => setChanges((before) => before + 1)} />
      <SuppressionsCard changes={changes} />
    </>
  );
}

function PersonCard({ onChanged }: { readonly onChanged: () => void }) {
  const [wanted, setWanted] = useState("");
  const [person, setPerson] = useState<Person | null>(null);
  const look = async (address: string): Promise<void> => setPerson(await personAt(address));
  const { isBusy, error, run } = useAction(() => look(wanted.trim()));
  return (
    <Card title="One person">
      <SearchForm
        label="Address"
        wanted={wanted}
        onInput={setWanted}
        isBusy={isBusy}
        onSearch={() => {
          setPerson(null);
          run();
        }}
      />
      {error === null ? null : <Trouble error={error} />}
      {person === null ? null : (
        <PersonView
          key={person.address}
          person={person}
          onChanged={async () => {
            onChanged();
            await look(person.address);
          }}
        />
      )}
    </Card>
  );
}

/** The server names the place of a fault in the request, which nobody sees here. */
async function personAt(address: string): Promise<Person> {
  try {
    return await getPerson(address);
  } catch (error) {
    const [fault] = error instanceof ApiError ? error.faults : [];
    throw fault === undefined ? error : new ApiError("invalidFields", `This ${fault.detail}.`);
  }
}

function PersonView(props: { readonly person: Person; readonly onChanged: () => Promise<void> }) {
  const { person, onChanged } = props;
  const { address, suppression, erasedAt, campaigns } = person;
  const [erasure, setErasure] = useState<Erasure | null>(null);
  return (
    <section class="person" aria-label={address}>
      <h3>{address}</h3>
      <p>
        {suppression === null
          ? "May be mailed."
          : `Is not mailed: ${REASON_LABELS[suppression.reason]}, since ${dateTime(suppression.at)}.`}
        {erasedAt === null ? "" : ` Its erasure was asked for on ${dateTime(erasedAt)}.`}
      </p>
      {campaigns.length === 0 ? (
        <Empty title="No campaign holds anything about this address" />
      ) : (
        <ul class="held">
          {campaigns.map(({ campaignId, recipient }) => (
            <li key={campaignId}>
              <Link to={campaignPlace(campaignId, "recipients", { recipient: recipient.id })}>
                {campaignId}
              </Link>
              <StatusPill status={recipient.status} />
            </li>
          ))}
        </ul>
      )}
      <PersonActions
        person={person}
        onErased={(answer) => setErasure(answer)}
        onChanged={onChanged}
      />
      {erasure === null ? null : <ErasureView erasure={erasure} />}
    </section>
  );
}

type Question = { readonly consequence: Consequence; readonly work: () => Promise<unknown> };

function PersonActions(props: {
  readonly person: Person;
  readonly onErased: (erasure: Erasure) => void;
  readonly onChanged: () => Promise<void>;
}) {
  const { person, onErased, onChanged } = props;
  const { address, suppression, campaigns } = person;
  const isOperator = useIsOperator();
  const [question, setQuestion] = useState<Question | null>(null);
  const asking = (consequence: Consequence, work: () => Promise<unknown>) => () =>
    setQuestion({ consequence, work: () => work().then(onChanged) });
  const erase = async (): Promise<void> => onErased(await erasePerson(address));
  return (
    <div class="actions">
      <a class="button plain" href={personPath(address)} download={`${address}.json`}>
        Download all of it
      </a>
      {!isOperator ? null : (
        <>
          {suppression === null ? (
            <Button onClick={asking(ofSuppress(address), () => suppress([address]))}>
              Never mail …
            </Button>
          ) : (
            <Button
              onClick={asking(ofLift(address, suppression.reason), () => liftSuppression(address))}
            >
              Let be mailed again …
            </Button>
          )}
          <Button kind="danger" onClick={asking(ofErasePerson(address, campaigns.length), erase)}>
            Erase …
          </Button>
        </>
      )}
      {question === null ? null : (
        <Confirm
          consequence={question.consequence}
          onConfirm={question.work}
          onClose={() => setQuestion(null)}
        />
      )}
    </div>
  );
}

function ErasureView({ erasure }: { readonly erasure: Erasure }) {
  const { erased, pending } = erasure;
  return (
    <div class="notice" role="status">
      <p>Erased from {counted(erased, "campaign")}; it is not mailed any more.</p>
      {pending.map(({ campaignId, until }) => (
        <p key={campaignId}>
          {campaignId}: in a request that may be repeated; erased by itself by {dateTime(until)}.
        </p>
      ))}
    </div>
  );
}
