/**
 * Writes buckets and files in every way, one by one and in bulk, into other realms, with cascades and with full or
 * partial rollbacks, until it is stopped or killed. Runs as a separate process.
 */
import { randomUUID } from 'node:crypto'

import pg from 'pg'

const [url, name] = process.argv.slice(2)
const REALMS = ['1', '2', '3'].map(
  (digit) => `${digit.repeat(8)}-0000-4000-8000-${digit.repeat(12)}`
)

const client = new pg.Client({ connectionString: url, application_name: name })
await client.connect()

const below = (bound: number) => Math.floor(Math.random() * bound)
const realm = () => [...REALMS, null][below(REALMS.length + 1)]

const some = (table: string) => `(select id from ${table} order by random() limit ${1 + below(4)})`

const WRITES: readonly (() => Promise<unknown>)[] = [
  () =>
    client.query('insert into buckets (id, name, realm_id) values ($1, $2, $3)', [
      randomUUID(),
      'one',
      realm(),
    ]),
  () =>
    client.query(
      `insert into bucket_files (id, name, path, hash, actor_type, actor_id, realm_id, bucket_id)
       select gen_random_uuid(), 'many', gen_random_uuid(), 'hash', 'user', gen_random_uuid(),
         (array[$1, $2, null]::uuid[])[1 + n % 3], b.id
       from generate_series(1, $3) n, (select id from buckets order by random() limit 1) b`,
      [REALMS[0], REALMS[1], 1 + below(20)]
    ),
  () => client.query(`update buckets set realm_id = $1 where id in ${some('buckets')}`, [realm()]),
  () =>
    client.query(
      `update bucket_files set realm_id = $1, name = 'moved' where id in ${some('bucket_files')}`,
      [realm()]
    ),
  () =>
    client.query(`update bucket_files set name = 'renamed' where id in ${some('bucket_files')}`),
  () => client.query(`delete from bucket_files where id in ${some('bucket_files')}`),
  () => client.query(`delete from buckets where id in ${some('buckets')}`),
  () =>
    client.query('delete from bucket_files where realm_id = $1 and name = $2', [realm(), 'moved']),
  async () => {
    await client.query('savepoint part')
    await write()
    await client.query('rollback to savepoint part')
  },
  () =>
    client.query(
      `insert into buckets (id, name, realm_id) select id, 'again', $1 from buckets limit 3
       on conflict (id) do update set realm_id = excluded.realm_id`,
      [realm()]
    ),
]

function write(): Promise<unknown> {
  return WRITES[below(WRITES.length)]!()
}

async function transaction(): Promise<void> {
  await client.query('begin')
  try {
    for (let count = 1 + below(4); count > 0; count--) {
      await write()
    }
    await client.query(below(4) === 0 ? 'rollback' : 'commit')
  } catch {
    // Writers may deadlock: PostgreSQL then aborts one of them.
    await client.query('rollback')
  }
}

let isStopping = false
process.on('message', () => (isStopping = true))
while (!isStopping) {
  await transaction()
  process.send!('wrote')
}
await client.end()
process.disconnect()
