import { AutoResetEvent } from '#kernel/auto_reset_event'
import { jitteredBackoff, sleep } from '#kernel/backoff'
import { KeyedMutex } from '#kernel/keyed_mutex'

import { retryRequests } from '#node/hub/retry_requests'
import type { Mailbox, MailboxMessage } from './mailbox.js'

/** A message for an analysis, still sealed. */
export interface ReceivedMessage {
  readonly senderClientId: string
  readonly analysisId: string
  readonly messageId: string
  readonly sealed: string
}

/** Returns when the message is where it belongs, or is worth nothing here; throws if it should stay in the mailbox. */
export type Deliver = (message: ReceivedMessage, signal: AbortSignal) => Promise<void>

const IDLE_MS = 30_000
const RETRY = { firstMs: 250, longestMs: 10_000 }

/** Reads the mailbox and acknowledges each message after its delivery. Messages of one analysis stay in order. */
export class Receiver {
  readonly #mailbox: Mailbox
  readonly #deliver: Deliver
  /** Called once when the mailbox cannot be read; it is read again until that succeeds. */
  readonly #onProblem: (error: Error) => void
  readonly #stopped = new AbortController()
  readonly #arrivals = new AutoResetEvent()
  readonly #analyses = new KeyedMutex()
  /** What is being delivered, by its id in the mailbox. */
  readonly #deliveries = new Map<string, Promise<void>>()
  readonly #loops: Promise<void>[] = []

  constructor(mailbox: Mailbox, deliver: Deliver, onProblem: (error: Error) => void) {
    this.#mailbox = mailbox
    this.#deliver = deliver
    this.#onProblem = onProblem
  }

  start(): void {
    const { signal } = this.#stopped
    this.#loops.push(
      this.#mailbox.watch(() => this.#arrivals.set(), signal),
      this.#run(signal)
    )
  }

  /** Ends the deliveries. What was not delivered stays in the mailbox. */
  async stop(): Promise<void> {
    this.#stopped.abort()
    this.#arrivals.set()
    await Promise.all([...this.#loops, ...this.#deliveries.values()])
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
    for (const message of await this.#mailbox.pull(signal)) {
      if (!this.#deliveries.has(message.id)) {
        this.#begin(message, signal)
      }
    }
  }

  #begin(message: MailboxMessage, signal: AbortSignal): void {
    const received = receivedMessageOf(message)
    const delivery = this.#analyses
      .run(received?.analysisId ?? '', async () => {
        if (received) {
          await this.#deliver(received, signal)
        }
        await retryRequests(() => this.#mailbox.acknowledge([message.id]), never, signal)
      })
      .catch(() => sleep(RETRY.firstMs, signal))
      .then(() => {
        this.#deliveries.delete(message.id)
        this.#arrivals.set()
      })
    this.#deliveries.set(message.id, delivery)
  }
}

/** A message that was delivered is acknowledged, whatever that takes. */
const never = () => false

/** Undefined for a message that no node sent: its sender is no client, or it has no analysis. */
function receivedMessageOf({
  senderType,
  senderId,
  data,
  metadata,
}: MailboxMessage): ReceivedMessage | undefined {
  const { analysisId, messageId } = metadata ?? {}
  const isOfNode =
    senderType === 'client' &&
    typeof analysisId === 'string' &&
    typeof messageId === 'string' &&
    typeof data === 'string'
  return isOfNode ? { senderClientId: senderId, analysisId, messageId, sealed: data } : undefined
}
