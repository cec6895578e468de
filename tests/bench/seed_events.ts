/**
 * Fills the table of events by COPY: `EVENTS` rows (10,000,000) about records with up to 200 events each, of twenty realms and of
 * none, in the database at `DATABASE_URL`. The benchmark of reads starts it; on its own it fills any database whose tables are up to date.
 */
import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'

import pg from 'pg'

const ROWS_PER_CHUNK = 5_000
const MOST_PER_RECORD = 200
const REALMS = 20
const DAY_MS = 86_400_000

const COLUMNS = `id, scope, name, ref_type, ref_id, data, expiring, request_path, request_method, request_ip_address,
  request_user_agent, actor_type, actor_id, actor_name, realm_id, expires_at, created_at, updated_at`

export const uuidOf = (name: string): string => {
  const hex = createHash('md5').update(name).digest('hex')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** The realms that have rows; every tenth row belongs to none. */
export const realms = Array.from({ length: REALMS }, (_, number) => uuidOf(`realm ${number}`))

/** The record that most rows are about, and a rare one. */
export const recordOf = (number: number) => uuidOf(`record ${number}`)

const NAMES = ['created', 'updated', 'deleted']

/** The rows of one record are far apart, as with concurrent changes. */
function lineOf(number: number, count: number, now: number): string {
  const records = Math.ceil(count / MOST_PER_RECORD)
  const record = recordOf(number % records)
  const at = new Date(now - ((count - number) / count) * 365 * DAY_MS).toISOString()
  const expiresAt = new Date(Date.parse(at) + 3_650 * DAY_MS).toISOString()
  const realm = number % 10 === 0 ? '\\N' : realms[number % REALMS]
  const line = [
    ...[uuidOf(`event ${number}`), 'entity', NAMES[number % 3], 'node', record],
    ...['{"diff":{"name":{"next":"b","previous":"a"}}}', 't', `/nodes/${record}`, 'POST'],
    ...['192.0.2.1', 'Mozilla/5.0 (X11; Linux x86_64)', 'user', recordOf(number % 50), 'somebody'],
    ...[realm, expiresAt, at, at],
  ]
  return `${line.join('\t')}\n`
}

export async function seedEvents(database: string, count: number): Promise<void> {
  const client = new pg.Client({ connectionString: database })
  await client.connect()
  try {
    const rebuild = await withoutIndexes(client)
    await copy(client, count)
    await rebuild()
    await client.query('vacuum analyze events')
  } finally {
    await client.end()
  }
}

/** Building an index over rows that are there is many times faster than keeping it while they come. */
export async function withoutIndexes(client: pg.ClientBase): Promise<() => Promise<void>> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
     from pg_index where indrelid = 'events'::regclass and not indisprimary`
  )
  for (const { name } of rows) {
    await client.query(`drop index ${name}`)
  }
  return async () => {
    await client.query(`set maintenance_work_mem = '512MB'`)
    for (const { definition } of rows) {
      await client.query(definition)
    }
  }
}

function copy(client: pg.Client, count: number): Promise<void> {
  const now = Date.now()
  return new Promise((resolve, reject) => {
    client.query({
      submit: (connection: any) => connection.query(`copy events (${COLUMNS}) from stdin`),
      handleCopyInResponse(connection: any) {
        send(connection, 0)
      },
      handleError: reject,
      handleCommandComplete() {},
      handleReadyForQuery: () => resolve(),
    } as unknown as pg.Submittable)

    function send(connection: any, from: number): void {
      if (from >= count) {
        connection.endCopyFrom()
        return
      }
      const size = Math.min(ROWS_PER_CHUNK, count - from)
      const lines = Array.from({ length: size }, (_, each) => lineOf(from + each, count, now))
      connection.sendCopyFromChunk(Buffer.from(lines.join('')))
      const next = () => send(connection, from + size)
      connection.stream.writableNeedDrain
        ? connection.stream.once('drain', next)
        : setImmediate(next)
    }
  })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await seedEvents(process.env.DATABASE_URL!, Number(process.env.EVENTS ?? 10_000_000))
}
