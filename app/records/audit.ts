/** Which changes of a kind the audit trail records, and how long it retains them. */
export interface Audit<Column extends string = string> {
  /** Whether changes are recorded at all. */
  readonly isRecorded: boolean
  /**
   * Changes that are retained permanently: all, or those of these columns. Others expire after the configured
   * retention. A replaced secret is always retained permanently. Events name these columns even if they are internal.
   */
  readonly lasting: 'all' | readonly Column[]
}

/** The audit of a kind that declares none. */
export const DEFAULT_AUDIT: Audit<never> = { isRecorded: true, lasting: [] }
