/** The recipients of the crash test, computed from their numbers. */

export const RECIPIENTS = Number(process.env["SENDONCE_E2E_RECIPIENTS"] ?? 5_000);

export type Person = { readonly id: string; readonly email: string; readonly firstName: string };

export const PEOPLE: readonly Person[] = Array.from({ length: RECIPIENTS }, (_, index) => {
  const number = String(index + 1).padStart(6, "0");
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
