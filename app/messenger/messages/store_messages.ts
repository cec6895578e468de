import type { DatabasePool } from '#database/database_pool'
import { plainArray, textArray } from '#database/array_parameters'
import { clock } from '#kernel/clock'
import { keyOf, type Party } from '#messenger/mailboxes/party'
import type { Arrival } from '#messenger/mailboxes/arrivals'
import { quotaFailure } from './errors.js'
import { SEND, SEND_ONCE } from './send_statement.js'

/** The overhead of a row, so that empty messages fill a mailbox, too. */
export const ROW_BYTES = 128

/** Limits of pending messages per mailbox and per sender. 0 means no limit. */
export interface MessageQuotas {
  readonly mailboxMaxBytes: number
  readonly senderMaxBytes: number
  readonly senderMaxMessages: number
}

/** An amount to add to a sender's row, for these messages and later ones. */
export interface Reservation {
  readonly sender: Party
  readonly messages: number
  readonly bytes: number
}

/** A message to store, with data and metadata as opaque JSON. */
export interface NewMessage {
  readonly sender: Party
  /** Without duplicates. */
  readonly recipients: readonly Party[]
  /** The ids of the copies, in the order of the recipients. */
  readonly ids: readonly string[]
  /** The answer to this request, and to repetitions with its key. */
  readonly answer: readonly string[]
  readonly data: string | null
  readonly metadata: string | null
  readonly bytes: number
  /** The idempotency key, if any. */
  readonly key: string | undefined
}

/**
 * Stores messages for all of their recipients, atomically. Returns the arrivals of each message; none if its key
 * was used before. The messages must not share a key of one sender. Reservations are stored in the same statement.
 */
export async function storeMessages(
  pool: DatabasePool,
  messages: readonly NewMessage[],
  quotas: MessageQuotas,
  reservations: readonly Reservation[] = []
): Promise<Arrival[][]> {
  const statement = messages.some(({ key }) => key !== undefined) ? SEND_ONCE : SEND
  const values = [
    ...columnsOf(messages),
    quotas.mailboxMaxBytes || null,
    plainArray(reservations.map(({ sender }) => sender.type)),
    plainArray(reservations.map(({ sender }) => sender.id)),
    plainArray(reservations.map((reservation) => reservation.messages)),
    plainArray(reservations.map(({ bytes }) => bytes)),
    quotas.senderMaxMessages || null,
    quotas.senderMaxBytes || null,
  ]
  try {
    const { rows } = await pool.query<Party & { message: number; arrivals: number }>({
      ...statement,
      values,
    })
    const arrivals: Arrival[][] = messages.map(() => [])
    for (const row of rows) {
      arrivals[row.message - 1]!.push({ key: keyOf(row), arrivals: row.arrivals })
    }
    return arrivals
  } catch (error) {
    throw quotaFailure(error) ?? error
  }
}

/** The parameters: columns of the messages, then columns of the copies with the number of their message. */
function columnsOf(messages: readonly NewMessage[]): unknown[] {
  const parties = messages.flatMap(({ recipients }) => recipients)
  return [
    plainArray(messages.map(({ sender }) => sender.type)),
    plainArray(messages.map(({ sender }) => sender.id)),
    textArray(messages.map(({ data }) => data)),
    textArray(messages.map(({ metadata }) => metadata)),
    plainArray(messages.map(({ bytes }) => bytes + ROW_BYTES)),
    textArray(messages.map(({ key }) => key ?? null)),
    textArray(messages.map(({ key, answer }) => (key === undefined ? null : plainArray(answer)))),
    plainArray(messages.map((message) => (hasSharedContent(message) ? clock.uuid() : 'null'))),
    plainArray(messages.flatMap(({ ids }, index) => ids.map(() => index + 1))),
    plainArray(messages.flatMap(({ ids }) => ids)),
    plainArray(parties.map(({ type }) => type)),
    plainArray(parties.map(({ id }) => id)),
  ]
}

/** Whether the content is stored once for all copies. */
const hasSharedContent = ({ recipients }: NewMessage): boolean => recipients.length > 1

/** The bytes that a message takes until all recipients acknowledge it: its content once, and a row per copy. */
export function pendingBytes(message: NewMessage): number {
  const rows = message.recipients.length + (hasSharedContent(message) ? 1 : 0)
  return message.bytes + rows * ROW_BYTES
}
