import type { DatabasePool } from '#database/database_pool'
import { plainArray, textArray } from '#database/array_parameters'
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
    for (const row of rows) {
      arrivals[row.message - 1]!.push({ key: keyOf(row), arrivals: row.arrivals })
    }
    return arrivals
  } catch (error) {
    throw mailboxFailure(error) ?? error
  }
}

/** What stands for each message, and then for each copy with the number of its message. */
function columnsOf(messages: readonly NewMessage[]): unknown[] {
  const recipients = messages.flatMap((message) => message.recipients)
  return [
    plainArray(messages.map(({ sender }) => sender.type)),
    plainArray(messages.map(({ sender }) => sender.id)),
    textArray(messages.map(({ data }) => data)),
    textArray(messages.map(({ metadata }) => metadata)),
    plainArray(messages.map(({ bytes }) => bytes + ROW_BYTES)),
    textArray(messages.map(({ key }) => key ?? null)),
    plainArray(messages.flatMap(({ ids }, index) => ids.map(() => index + 1))),
    plainArray(messages.flatMap(({ ids }) => ids)),
    plainArray(recipients.map(({ type }) => type)),
    plainArray(recipients.map(({ id }) => id)),
  ]
}
