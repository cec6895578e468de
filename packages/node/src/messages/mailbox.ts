import { followEvents } from '#client/events'
import type { Hub } from '#node/hub/hub'

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

  /**
   * Calls back when messages may have arrived, until the signal aborts. Reconnects after a lost connection. The ping
   * every 15 seconds also covers a lost notification.
   */
  async watch(onArrival: (event?: string) => void, signal: AbortSignal): Promise<void> {
    const open = (headers: Readonly<Record<string, string>>, connection: AbortSignal) =>
      this.#hub.open('messenger', '/messages/stream', { headers, signal: connection })
    const events = followEvents(open, { signal, pauses: RECONNECT, silenceMs: SILENCE_MS })
    for await (const { event } of events) {
      onArrival(event)
    }
  }
}
