import type pg from 'pg'

import { seal, unseal } from '#records/sealing'
import { inTransaction } from '#records/transaction'
import type { DeadLetterCause, Subscription } from '#bus/bus'
import type { DeadLetterSelector, DeadLetter, DeadLetters } from '#bus/dead_letters'
import { parseMessage, type Message } from '#bus/message'
import { newId } from '#kernel/new_id'

const COLUMNS = `id, queue, message_id as "messageId", type, reason, attempts,
  dead_lettered_at as "diedAt", body`

/** Stores a dead letter in the database of its consumer, once per message. */
export async function storeDeadLetter(
  { queue, database }: Subscription,
  bytes: Buffer,
  { reason, attempts }: DeadLetterCause
): Promise<void> {
  if (!database) {
    return
  }
  const { id, type } = identityIn(bytes)
  await database.query(
    `insert into dead_letters (id, queue, message_id, type, reason, attempts, body)
     values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (queue, message_id)
     do update set reason = excluded.reason, attempts = excluded.attempts, dead_lettered_at = now()`,
    [newId(), queue, id, type, reason.replaceAll('\0', ''), attempts, sealBody(bytes)]
  )
}

/** Messages may contain secrets. */
const sealBody = (bytes: Buffer): Buffer =>
  Buffer.from(seal('dead letter', bytes.toString('base64')))

function unsealLetter(letter: DeadLetter): DeadLetter {
  const body = unseal('dead letter', letter.body.toString())
  return { ...letter, body: Buffer.from(body ?? '', 'base64') }
}

function identityIn(bytes: Buffer): { id: string | null; type: string | null } {
  try {
    return parseMessage(bytes)
  } catch {
    return { id: null, type: null }
  }
}

interface MemoryDeadLettersOptions {
  /** The database of a queue's consumer. */
  databaseOf(queue: string): pg.Pool
  /** Publishes a message within the transaction. */
  publish(transaction: pg.ClientBase, message: Message, orderedBy: string): Promise<void>
}

/**
 * The dead letters of an installation without a broker. Commands redrive them from another process than the consumer's,
 * so they return through the outbox.
 */
export class MemoryDeadLetters implements DeadLetters {
  readonly #options: MemoryDeadLettersOptions

  constructor(options: MemoryDeadLettersOptions) {
    this.#options = options
  }

  async counts(queues: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const counts = queues.map(async (queue): Promise<[string, number]> => {
      const { rows } = await this.#options
        .databaseOf(queue)
        .query<{ count: number }>(
          'select count(*)::int as count from dead_letters where queue = $1',
          [queue]
        )
      return [queue, rows[0]!.count]
    })
    return new Map(await Promise.all(counts))
  }

  async list(queue: string, limit: number): Promise<DeadLetter[]> {
    const { rows } = await this.#options
      .databaseOf(queue)
      .query<DeadLetter>(
        `select ${COLUMNS} from dead_letters where queue = $1 order by dead_lettered_at, id limit $2`,
        [queue, limit]
      )
    return rows.map(unsealLetter)
  }

  redrive(queue: string, chosen: DeadLetterSelector): Promise<number> {
    return inTransaction(this.#options.databaseOf(queue), async (transaction) => {
      const letters = await deleteLetters(transaction, queue, chosen)
      for (const { id, body } of letters.map(unsealLetter)) {
        const { metadata, ...message } = parseMessage(body)
        const routing = { type: 'work', key: queue } as const
        await this.#options.publish(
          transaction,
          { ...message, metadata: { ...metadata, routing } },
          `dead/${id}`
        )
      }
      return letters.length
    })
  }

  drop(queue: string, chosen: DeadLetterSelector): Promise<number> {
    return inTransaction(this.#options.databaseOf(queue), async (transaction) => {
      const letters = await deleteLetters(transaction, queue, chosen)
      return letters.length
    })
  }
}

async function deleteLetters(
  transaction: pg.ClientBase,
  queue: string,
  chosen: DeadLetterSelector
): Promise<DeadLetter[]> {
  const { rows } = await transaction.query<DeadLetter>(
    `delete from dead_letters where queue = $1 and ($2::text is null or id = $2)
     returning ${COLUMNS}`,
    [queue, chosen === 'all' ? null : chosen.id]
  )
  return rows.sort((one, other) => one.diedAt.getTime() - other.diedAt.getTime())
}
