/** What one request of the rate limit covers of a message. */
const BYTES = 16 * 2 ** 10
const RECIPIENTS = 10

/** As how many requests a message counts beyond the one that it is: none, where it is small and has few recipients. */
export function extraWeightOf(bytes: number, recipients: readonly unknown[]): number {
  return Math.floor(bytes / BYTES) + Math.floor(recipients.length / RECIPIENTS)
}
