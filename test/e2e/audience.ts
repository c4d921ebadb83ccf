/** The recipients of the crash test: 5,000, computed from their numbers. */

export const RECIPIENTS = 5_000;

export type Person = { readonly id: string; readonly email: string; readonly firstName: string };

export const PEOPLE: readonly Person[] = Array.from({ length: RECIPIENTS }, (_, index) => {
  const number = String(index + 1).padStart(4, "0");
  // The domain is one of RFC 2606 that no real mail can ever reach.
  return {
    id: `u_${number}`,
    email: `person.${number}@mail.example`,
    firstName: `Person ${number}`,
  };
});

export const CSV = `email,id,firstName\n${PEOPLE.map(
  ({ email, id, firstName }) => `${email},${id},${firstName}\n`,
).join("")}`;
