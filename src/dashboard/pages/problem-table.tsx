/** Recipients with the reason why they are where they are, and a choice among them. */
import type { Recipient } from "../../client/types.ts";
import { Link } from "../parts/navigation.tsx";
import { campaignPlace } from "../route.ts";
import { dateTime } from "../text/format.ts";

export function ProblemTable(props: {
  readonly campaign: string;
  readonly items: readonly Recipient[];
  readonly chosen?: ReadonlySet<string>;
  readonly onChoose?: (chosen: ReadonlySet<string>) => void;
}) {
  const { campaign, items, chosen, onChoose } = props;
  const choice = chosen === undefined || onChoose === undefined ? {} : { chosen, onChoose };
  const isEverybody = chosen !== undefined && items.every(({ id }) => chosen.has(id));
  return (
    <div class="table-wrap">
      <table class="table cards">
        <thead>
          <tr>
            {onChoose === undefined ? null : (
              <th scope="col" class="choice">
                <input
                  type="checkbox"
                  aria-label="Choose everybody shown"
                  checked={isEverybody}
                  onChange={() => onChoose(new Set(isEverybody ? [] : items.map(({ id }) => id)))}
                />
              </th>
            )}
            <th scope="col">Recipient</th>
            <th scope="col" class="wide">
              Reason
            </th>
            <th scope="col" class="number">
              Batch
            </th>
            <th scope="col">Since</th>
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <ProblemRow key={item.id} campaign={campaign} item={item} {...choice} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function ProblemRow(props: {
  readonly campaign: string;
  readonly item: Recipient;
  readonly chosen?: ReadonlySet<string>;
  readonly onChoose?: (chosen: ReadonlySet<string>) => void;
}) {
  const { campaign, item, chosen, onChoose } = props;
  const { id, email, reason, batch, updatedAt } = item;
  return (
    <tr>
      {onChoose === undefined || chosen === undefined ? null : (
        <td class="choice">
          <input
            type="checkbox"
            aria-label={`Choose ${email}`}
            checked={chosen.has(id)}
            onChange={() => onChoose(toggled(chosen, id))}
          />
        </td>
      )}
      <th scope="row">
        <Link to={campaignPlace(campaign, "recipients", { recipient: id })} class="row-link">
          {email}
        </Link>
        <span class="id">{id}</span>
      </th>
      <td data-label="Reason" class="wide reason">
        {reason}
      </td>
      <td data-label="Batch" class="number">
        {batch ?? <span class="soft">none</span>}
      </td>
      <td data-label="Since">{dateTime(updatedAt)}</td>
    </tr>
  );
}

function toggled(chosen: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(chosen);
  if (!next.delete(id)) next.add(id);
  return next;
}
