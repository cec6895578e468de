/** What the audit trail keeps of the changes of a kind's records, and how long. */
export interface Audit<Column extends string = string> {
  /** Whether it keeps them at all. */
  readonly isRecorded: boolean
  /**
   * Whose changes are looked for after years, and kept for good: any, or those of these columns. Others are kept for as long
   * as the installation says; for good is in any case kept that a record got another secret. Events name these columns, also
   * internal ones.
   */
  readonly lasting: 'all' | readonly Column[]
}

/** What is audited of a kind that says nothing else. */
export const DEFAULT_AUDIT: Audit<never> = { isRecorded: true, lasting: [] }
