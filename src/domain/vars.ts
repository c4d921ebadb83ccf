/** Numbers that a deployment gives as text. One that is none stops the part that needs it, by name. */
export function positiveNumber(name: string, text: string): number {
  const value = Number(text);
  if (Number.isFinite(value) && value > 0) return value;
  throw new Error(`the var ${name} is ${JSON.stringify(text)} and has to be a number above 0`);
}

/** RETENTION_DAYS: whole days, 0 or nothing to keep all. A mistyped one must not erase anything. */
export function retentionDaysOf(text: string | undefined): number {
  if (text === undefined || text === "") return 0;
  if (/^\d{1,5}$/.test(text)) return Number(text);
  const given = JSON.stringify(text);
  throw new Error(`the var RETENTION_DAYS is ${given} and has to be whole days, or 0 to keep all`);
}
