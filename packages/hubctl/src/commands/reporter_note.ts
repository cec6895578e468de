/** Who reported an event; with an id if that was a caller, and not the hub itself. */
export interface Reporter {
  readonly type: string
  readonly id: string | null
}

/** Names the reporter of what the hub did not record itself. */
export const reporterNote = (reporter: Reporter | null | undefined): string | undefined =>
  reporter?.id ? `(reported by ${reporter.type} ${reporter.id})` : undefined
