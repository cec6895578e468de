export interface QueueLimits {
  readonly messages: number
  readonly bytes: number
}

/** The limits of waiting messages of one analysis, in each direction. */
export const QUEUE_LIMITS: QueueLimits = { messages: 10_000, bytes: 256 * 1024 ** 2 }
