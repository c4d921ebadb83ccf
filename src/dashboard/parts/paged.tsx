/** A list that is read page by page. The first page is read anew when `refresh` changes. */
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Page } from "../../client/types.ts";
import { Button, Loading, Trouble } from "./basics.tsx";
import { useAction } from "./dialog.tsx";
import { useAsk } from "./hooks.ts";

export function Paged<Item>(props: {
  /** What the items are called, as in `Loading events …`. */
  readonly name: string;
  readonly load: (cursor: string | null) => Promise<Page<Item>>;
  readonly refresh: string;
  readonly empty: ComponentChildren;
  readonly children: (items: readonly Item[]) => ComponentChildren;
}) {
  const { name, load, refresh, empty, children } = props;
  const first = useAsk(() => load(null), name);
  const [more, setMore] = useState<Page<Item> | null>(null);
  useEffect(() => {
    if (first.value !== null) first.again();
    setMore(null);
  }, [refresh]);
  const cursor = more === null ? (first.value?.cursor ?? null) : more.cursor;
  const { isBusy, error, run } = useAction(async () => {
    const page = await load(cursor);
    setMore({ items: [...(more?.items ?? []), ...page.items], cursor: page.cursor });
  });
  if (first.value === null) {
    return first.error === null ? (
      <Loading what={name} />
    ) : (
      <Trouble error={first.error} onRetry={first.again} />
    );
  }
  const items = [...first.value.items, ...(more?.items ?? [])];
  const trouble = first.error ?? error;
  return (
    <>
      {trouble === null ? null : <Trouble error={trouble} onRetry={first.again} />}
      {items.length === 0 && cursor === null ? empty : children(items)}
      {cursor === null ? null : (
        <p class="more">
          <Button onClick={run} disabled={isBusy}>
            More
          </Button>
        </p>
      )}
    </>
  );
}
