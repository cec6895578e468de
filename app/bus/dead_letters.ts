/** A message that could not be handled, stored until an operator redrives or drops it. */
export interface DeadLetter {
  /** Identifies the letter; a message that failed twice has two letters. */
  readonly id: string
  readonly queue: string
  readonly messageId: string | null
  readonly type: string | null
  readonly reason: string
  readonly attempts: number
  readonly diedAt: Date
  readonly body: Buffer
}

/** All letters of a queue, or a single one. */
export type DeadLetterSelector = { readonly id: string } | 'all'

/** The dead letters of this installation. */
export interface DeadLetters {
  /** The number of letters by queue. */
  counts(queues: readonly string[]): Promise<ReadonlyMap<string, number>>
  /** The oldest letters of a queue, without removing them. */
  list(queue: string, limit: number): Promise<DeadLetter[]>
  /** Requeues messages to the queue they came from; returns their number. */
  redrive(queue: string, chosen: DeadLetterSelector): Promise<number>
  /** Deletes messages; returns their number. */
  drop(queue: string, chosen: DeadLetterSelector): Promise<number>
}
