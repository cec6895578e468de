import type { DatabasePool } from '#database/database_pool'
import { textArray } from '#database/text_array'
import { keyOf, type Party } from '#messenger/mailboxes/party'
import type { Arrival } from '#messenger/mailboxes/arrivals'
import { mailboxFailure } from './errors.js'
import { SEND, SEND_ONCE } from './send_statement.js'

/** What a row takes beside what is in it, so that empty messages fill a mailbox, too. */
export const ROW_BYTES = 128

/** A message as it is to be stored: JSON that nobody looks into. */
export interface NewMessage {
  readonly sender: Party
  readonly recipients: readonly Party[]
  /** Of each copy, in the order of the recipients. */
  readonly ids: readonly string[]
  readonly data: string | null
  readonly metadata: string | null
  readonly bytes: number
  /** What the sender knows this request by, if anything. */
  readonly key: string | undefined
}

/**
 * Stores some messages for all of their recipients, or none of them for anybody. Answers for each who got something; nobody, where its
 * key was used before. No two of them may have the same key of the same sender.
 */
export async function storeMessages(
  pool: DatabasePool,
  messages: readonly NewMessage[],
  mailboxMaxBytes: number
): Promise<Arrival[][]> {
  const statement = messages.some(({ key }) => key !== undefined) ? SEND_ONCE : SEND
  const values = [...columnsOf(messages), mailboxMaxBytes === 0 ? null : mailboxMaxBytes]
  try {
    const { rows } = await pool.query<Party & { message: number; arrivals: number }>({
      ...statement,
      values,
    })
    const arrivals: Arrival[][] = messages.map(() => [])
    for (const { message, arrivals: count, ...recipient } of rows) {
      arrivals[message - 1]!.push({ key: keyOf(recipient), arrivals: count })
    }
    return arrivals
  } catch (error) {
    throw mailboxFailure(error) ?? error
  }
}

/** What stands for each message, and then for each copy with the number of its message. */
function columnsOf(messages: readonly NewMessage[]): unknown[] {
  const copies = messages.flatMap(({ recipients, ids }, index) =>
    recipients.map((recipient, place) => ({ message: index + 1, id: ids[place], recipient }))
  )
  return [
    messages.map(({ sender }) => sender.type),
    messages.map(({ sender }) => sender.id),
    textArray(messages.map(({ data }) => data)),
    textArray(messages.map(({ metadata }) => metadata)),
    messages.map(({ bytes }) => bytes + ROW_BYTES),
    messages.map(({ key }) => key ?? null),
    copies.map(({ message }) => message),
    copies.map(({ id }) => id),
    copies.map(({ recipient }) => recipient.type),
    copies.map(({ recipient }) => recipient.id),
  ]
}
