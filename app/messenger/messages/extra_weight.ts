/** The part of a message that counts as one request of the rate limit. */
const BYTES = 16 * 2 ** 10
const RECIPIENTS = 10

/** How many requests a message counts for in addition to its own. Small messages add none. */
export function extraWeightOf(bytes: number, recipients: readonly unknown[]): number {
  return Math.floor(bytes / BYTES) + Math.floor(recipients.length / RECIPIENTS)
}
