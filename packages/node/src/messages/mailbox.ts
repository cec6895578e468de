import type { EventSourceMessage } from 'eventsource-parser'
import { EventSourceParserStream } from 'eventsource-parser/stream'

import { jitteredBackoff, sleep } from '#kernel/backoff'

import type { Hub } from '#node/hub/hub'
import { Watchdog } from './watchdog.js'

export interface MailboxMessage {
  readonly id: string
  readonly senderType: string
  readonly senderId: string
  readonly data: unknown
  readonly metadata: Readonly<Record<string, unknown>> | null
}

export interface NewMessage {
  readonly recipientClientId: string
  readonly analysisId: string
  readonly messageId: string
  readonly sealed: string
}

/** The maximum number of messages in one response. */
export const PAGE = 100
const RECONNECT = { firstMs: 250, longestMs: 5_000 }
/** A connection without a ping in this time is considered lost. */
const SILENCE_MS = 40_000

/** The mailbox of the node at the hub. */
export class Mailbox {
  readonly #hub: Hub

  constructor(hub: Hub) {
    this.#hub = hub
  }

  /** Sends a message. The hub ignores a repetition with the same id. */
  async send({ recipientClientId, analysisId, messageId, sealed }: NewMessage): Promise<void> {
    await this.#hub.json('messenger', '/messages', {
      method: 'POST',
      headers: { 'idempotency-key': messageId },
      json: {
        recipients: [{ type: 'client', id: recipientClientId }],
        data: sealed,
        metadata: { analysisId, messageId },
      },
    })
  }

  /** The oldest messages. They stay until they are acknowledged. */
  async pull(signal: AbortSignal): Promise<MailboxMessage[]> {
    const query = { limit: String(PAGE) }
    const { messages } = await this.#hub.json<{ messages: MailboxMessage[] }>(
      'messenger',
      '/messages',
      { query, signal }
    )
    return messages
  }

  async acknowledge(ids: readonly string[]): Promise<void> {
    await this.#hub.json('messenger', '/messages/ack', { method: 'POST', json: { ids } })
  }

  /** Calls back when messages may have arrived, until the signal aborts. Reconnects after a lost connection. */
  async watch(onArrival: (event?: string) => void, signal: AbortSignal): Promise<void> {
    let failures = 0
    while (!signal.aborted) {
      const watchdog = new Watchdog(SILENCE_MS)
      try {
        const events = await this.#openStream(AbortSignal.any([signal, watchdog.signal]))
        for await (const { event } of events) {
          failures = 0
          watchdog.feed()
          onArrival(event)
        }
      } catch {
        failures += 1
      } finally {
        watchdog.end()
      }
      await sleep(jitteredBackoff(Math.max(1, failures), RECONNECT), signal)
    }
  }

  /** Reads notifications and pings. The ping every 15 seconds also covers a lost notification. */
  async #openStream(signal: AbortSignal): Promise<AsyncIterable<EventSourceMessage>> {
    const response = await this.#hub.open('messenger', '/messages/stream', {
      headers: { accept: 'text/event-stream' },
      signal,
    })
    return response
      .body!.pipeThrough(new TextDecoderStream())
      .pipeThrough(new EventSourceParserStream())
  }
}
