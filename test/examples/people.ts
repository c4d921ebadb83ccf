/** Whom the examples mail. */
export type Person = { readonly id: string; readonly email: string };

/** Messages of so many people each, under names that stand in no other run. */
export function mailings(run: string, messages: number, each: number): Person[][] {
  return Array.from({ length: messages }, (_, message) =>
    Array.from({ length: each }, (__, index) => {
      const id = `${run}-${message * each + index + 1}`;
      return { id, email: `${id}@example.net` };
    }),
  );
}
