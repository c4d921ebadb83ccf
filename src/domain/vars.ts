/** Numbers that a deployment gives as text. One that is none stops the part that needs it, by name. */
export function positiveNumber(name: string, text: string): number {
  const value = Number(text);
  if (Number.isFinite(value) && value > 0) return value;
  throw new Error(`the var ${name} is ${JSON.stringify(text)} and has to be a number above 0`);
}
