import { resumeTrace } from '#tracing/tracing'
import { sleep, jitteredBackoff, type BackoffPolicy } from '#kernel/backoff'
import type { Bus, BusLogger, Delivery, Subscription } from './bus.js'
import { DeliveryAbandoned, MalformedMessage } from './errors.js'
import { errorMessageOf } from './infrastructure_failure.js'
import { parseMessage, type Message, type Routing } from './message.js'
import { busMetrics, type Outcome } from './metrics.js'

/** Short delays, so that work resumes soon after an outage. */
const UNAVAILABLE_BACKOFF: BackoffPolicy = { firstMs: 100, longestMs: 2_000 }

/** A delivered message. */
export interface DeliveredMessage {
  readonly delivery: Delivery
  readonly message: Message
}

/** Called after a failed attempt. Returns the delay before the next one, or throws if there is none. */
type DelayAfter = (error: unknown, failures: number) => number

interface MessageReceiverOptions {
  readonly bus: Bus
  readonly subscription: Subscription
  readonly logger: Pick<BusLogger, 'warn' | 'error'>
}

/** Receives the messages of one queue, retries what is done with them, and moves malformed ones to the dead letters. */
export class MessageReceiver {
  readonly #options: MessageReceiverOptions
  readonly #stopping = new AbortController()
  #subscription: { stop(): Promise<void> } | undefined

  constructor(options: MessageReceiverOptions) {
    this.#options = options
  }

  /**
   * Starts to receive. A message is acknowledged when `handle` resolves. It is dead if `parse` throws, or `handle` throws
   * `MalformedMessage`.
   */
  async start<Content>(
    parse: (message: Message) => Content | Promise<Content>,
    handle: (delivered: DeliveredMessage, content: Content) => Promise<Outcome>
  ): Promise<void> {
    const { bus, subscription } = this.#options
    const step = { name: `process ${subscription.queue}`, kind: 'consumer' } as const
    this.#subscription = await bus.subscribe(subscription, async (delivery) => {
      const outcome = await resumeTrace(delivery.traceparent, step, () =>
        this.#settle(delivery, parse, handle)
      )
      busMetrics.settled(subscription.queue, outcome)
    })
  }

  /** Aborted when the receiver stops. */
  get signal(): AbortSignal {
    return this.#stopping.signal
  }

  /** Waits for running attempts. Messages that wait for their turn or their next attempt are requeued. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#subscription?.stop()
  }

  /** Runs work until it succeeds. Abandons the deliveries when the receiver stops, or when all of them are lost. */
  async retry<T>(
    deliveries: readonly Delivery[],
    work: () => Promise<T>,
    delayAfter: DelayAfter
  ): Promise<T> {
    for (let failures = 1; ; failures++) {
      this.requireActive(deliveries)
      try {
        return await work()
      } catch (error) {
        if (error instanceof DeliveryAbandoned) {
          throw error
        }
        await sleep(delayAfter(error, failures), this.signal)
      }
    }
  }

  requireActive(deliveries: readonly Delivery[]): void {
    if (this.signal.aborted || deliveries.every(({ isLost }) => isLost)) {
      throw new DeliveryAbandoned()
    }
  }

  /** Messages that were rejected without an attempt are the sender's fault, so they are logged as warnings. */
  async deadLetter(delivery: Delivery, error: unknown, attempts = 0): Promise<Outcome> {
    const { subscription, logger } = this.#options
    const isMalformed = error instanceof MalformedMessage
    const reason = `${isMalformed ? 'malformed: ' : ''}${errorMessageOf(error)}`
    const store = () => delivery.deadLetter({ reason, attempts })
    await this.retry([delivery], store, (cause, failures) => this.delayAfter(cause, failures))
    logger[attempts > 0 ? 'error' : 'warn'](
      { queue: subscription.queue, reason, attempts },
      'a message was moved to the dead letters; inspect it with bus:dead'
    )
    return isMalformed ? 'malformed' : 'dead'
  }

  /** Logs a failed attempt, and returns the delay before the next one; by default as long as something is unavailable. */
  delayAfter(
    error: unknown,
    failures: number,
    details: object = {},
    backoff: BackoffPolicy = UNAVAILABLE_BACKOFF
  ): number {
    const { subscription, logger } = this.#options
    const delayMs = jitteredBackoff(failures, backoff)
    logger.warn(
      { err: error, queue: subscription.queue, ...details },
      `an attempt to handle a message failed; retrying in ${Math.ceil(delayMs)} ms`
    )
    return delayMs
  }

  async #settle<Content>(
    delivery: Delivery,
    parse: (message: Message) => Content | Promise<Content>,
    handle: (delivered: DeliveredMessage, content: Content) => Promise<Outcome>
  ): Promise<Outcome> {
    let isParsed = false
    try {
      const message = parseMessage(delivery.bytes, this.#defaultRouting)
      const parsed = parse(message)
      const content = parsed instanceof Promise ? await parsed : parsed
      isParsed = true
      return await handle({ delivery, message }, content)
    } catch (error) {
      if (isParsed && !(error instanceof MalformedMessage)) {
        throw error
      }
      return this.deadLetter(
        delivery,
        new MalformedMessage(errorMessageOf(error), { cause: error })
      )
    }
  }

  get #defaultRouting(): Routing {
    const { events, queue } = this.#options.subscription
    return events?.[0] === undefined
      ? { type: 'work', key: queue }
      : { type: 'pubSub', key: events[0] }
  }
}
