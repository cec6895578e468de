import { AutoResetEvent } from '#kernel/auto_reset_event'
import { jitteredBackoff, sleep } from '#kernel/backoff'
import { isUuid } from '#kernel/is_uuid'

import { retryRequests } from '#node/hub/retry_requests'
import { PAGE, type Mailbox, type MailboxMessage } from './mailbox.js'

/** A message for an analysis, still sealed. */
export interface ReceivedMessage {
  /** Its id in the mailbox. */
  readonly id: string
  readonly senderClientId: string
  readonly analysisId: string
  readonly messageId: string
  readonly sealed: string
}

/**
 * Handles messages of one analysis. Returns when they are stored at the node, or were dropped; throws if they should
 * stay in the mailbox.
 */
export type TakeMessages = (messages: readonly ReceivedMessage[]) => Promise<void>

const IDLE_MS = 30_000
const RETRY = { firstMs: 250, longestMs: 10_000 }

/** Reads the mailbox, and acknowledges messages once they are handled. It does not wait for analyses. */
export class Receiver {
  readonly #mailbox: Mailbox
  readonly #take: TakeMessages
  /** Called once when the mailbox cannot be read; it is read again until that succeeds. */
  readonly #onProblem: (error: Error) => void
  readonly #stopped = new AbortController()
  readonly #arrivals = new AutoResetEvent()
  readonly #loops: Promise<void>[] = []

  constructor(mailbox: Mailbox, take: TakeMessages, onProblem: (error: Error) => void) {
    this.#mailbox = mailbox
    this.#take = take
    this.#onProblem = onProblem
  }

  start(): void {
    const { signal } = this.#stopped
    this.#loops.push(
      this.#mailbox.watch(() => this.#arrivals.set(), signal),
      this.#run(signal)
    )
  }

  /** Unhandled messages stay in the mailbox. */
  async stop(): Promise<void> {
    this.#stopped.abort()
    this.#arrivals.set()
    await Promise.all(this.#loops)
  }

  async #run(signal: AbortSignal): Promise<void> {
    let failures = 0
    while (!signal.aborted) {
      try {
        await this.#pull(signal)
        failures = 0
        await this.#arrivals.wait(IDLE_MS)
      } catch (error) {
        failures += 1
        if (failures === 1 && !signal.aborted) {
          this.#onProblem(error as Error)
        }
        await sleep(jitteredBackoff(failures, RETRY), signal)
      }
    }
  }

  async #pull(signal: AbortSignal): Promise<void> {
    const messages = await this.#mailbox.pull(signal)
    const foreign = messages.filter((message) => !receivedMessageOf(message))
    const received = messages.flatMap((message) => receivedMessageOf(message) ?? [])
    const groups = [...Map.groupBy(received, ({ analysisId }) => analysisId).values()]
    const outcomes = await Promise.allSettled(groups.map((group) => this.#take(group)))
    const taken = groups.filter((_, index) => outcomes[index]!.status === 'fulfilled')
    const ids = [...foreign, ...taken.flat()].map(({ id }) => id)
    if (ids.length > 0) {
      // Repeats the acknowledgement of handled messages until it succeeds.
      await retryRequests(
        () => this.#mailbox.acknowledge(ids),
        () => false,
        signal
      )
    }
    const failed = outcomes.find((one) => one.status === 'rejected')
    if (failed) {
      throw failed.reason
    }
    if (messages.length === PAGE) {
      this.#arrivals.set()
    }
  }
}

/** Undefined for a message that no node sent: its sender is not a client, or it names no analysis. */
function receivedMessageOf({
  id,
  senderType,
  senderId: senderClientId,
  data: sealed,
  metadata,
}: MailboxMessage): ReceivedMessage | undefined {
  const { analysisId, messageId } = metadata ?? {}
  const isOfNode =
    senderType === 'client' &&
    typeof analysisId === 'string' &&
    isUuid(analysisId) &&
    typeof messageId === 'string' &&
    typeof sealed === 'string'
  return isOfNode ? { id, senderClientId, analysisId, messageId, sealed } : undefined
}
