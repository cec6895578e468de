import type { DatabasePool } from '#database/database_pool'
import { plainArray, textArray } from '#database/array_parameters'
import { clock } from '#kernel/clock'
import { keyOf, type Party } from '#messenger/mailboxes/party'
import type { Arrival } from '#messenger/mailboxes/arrivals'
import { quotaFailure } from './errors.js'
import { SEND, SEND_ONCE } from './send_statement.js'

/** What a row takes beside what is in it, so that empty messages fill a mailbox, too. */
export const ROW_BYTES = 128

/** How much may wait: of a sender, for all recipients together, and in a mailbox. 0 for no limit. */
export interface MessageQuotas {
  readonly mailboxMaxBytes: number
  readonly senderMaxBytes: number
  readonly senderMaxMessages: number
}

/** What is added to what a sender may have waiting, for these messages and more. */
export interface Reservation {
  readonly sender: Party
  readonly messages: number
  readonly bytes: number
}

/** A message as it is to be stored: JSON that nobody looks into. */
export interface NewMessage {
  readonly sender: Party
  /** Each of them once. */
  readonly recipients: readonly Party[]
  /** Of each copy, in the order of the recipients. */
  readonly ids: readonly string[]
  /** What is answered to this request, and to others with its key. */
  readonly answer: readonly string[]
  readonly data: string | null
  readonly metadata: string | null
  readonly bytes: number
  /** What the sender knows this request by, if anything. */
  readonly key: string | undefined
}

/**
 * Stores some messages for all of their recipients, or none of them for anybody. Answers for each who got something; nobody, where its
 * key was used before. No two of them may have the same key of the same sender. What is reserved for senders is kept with the messages.
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

/** What stands for each message, and then for each copy with the number of its message. */
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

/** Whether the content is stored beside the copies, once for all of them. */
const hasSharedContent = ({ recipients }: NewMessage): boolean => recipients.length > 1

/** What a message takes as long as it waits for all of its recipients: its content once, and a row for each copy. */
export function pendingBytes(message: NewMessage): number {
  const rows = message.recipients.length + (hasSharedContent(message) ? 1 : 0)
  return message.bytes + rows * ROW_BYTES
}
