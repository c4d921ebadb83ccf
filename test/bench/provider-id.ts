/** Ids as long as those of Resend, so that rows are as large as they will be. */
export function providerId(seq: number): string {
  return `49a3999c-0ce1-4ea6-ab68-${String(seq).padStart(12, "0")}`;
}
