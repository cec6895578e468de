/** A message that could not be handled, kept until an operator decides about it. */
export interface DeadLetter {
  /** Of the letter; a message that died twice makes two. */
  readonly id: string
  readonly queue: string
  readonly messageId: string | null
  readonly type: string | null
  readonly reason: string
  readonly attempts: number
  readonly diedAt: Date
  readonly body: Buffer
}

/** All letters of a queue, or the one with this id. */
export type DeadLetterSelector = { readonly id: string } | 'all'

/**
 * What died in the queues of this installation.
 */
export interface DeadLetters {
  /** How many letters there are of each queue. */
  counts(queues: readonly string[]): Promise<ReadonlyMap<string, number>>
  /** The oldest letters of a queue; looking at them changes nothing. */
  list(queue: string, limit: number): Promise<DeadLetter[]>
  /** Gives messages back to the queue they died in. Answers how many. */
  redrive(queue: string, chosen: DeadLetterSelector): Promise<number>
  /** Forgets messages for good. Answers how many. */
  drop(queue: string, chosen: DeadLetterSelector): Promise<number>
}
