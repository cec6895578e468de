/*
 * Writes to the PostgreSQL of its own host again and again, and prints each confirmed write: when it was sent and confirmed,
 * and the timeline of the server that confirmed it. A server that is no primary refuses.
 */
import { setTimeout as delay } from 'node:timers/promises'

import pg from 'pg'

const PAUSE_MS = 200
const WRITE = `
  insert into drill_probes (id) values ($1)
  returning left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) as timeline`

const settings = {
  connectionString: process.env.PROBE_URL,
  connectionTimeoutMillis: 2_000,
  query_timeout: 60_000,
}
const host = process.env.PROBE_HOST
const now = () => Number(process.hrtime.bigint() / 1_000_000n)

for (let number = 1; ;) {
  const client = new pg.Client(settings)
  client.on('error', () => {})
  try {
    await client.connect()
    for (;;) {
      const id = `${host}-${number++}`
      const sentAt = now()
      const { rows } = await client.query(WRITE, [id])
      const timeline = Number.parseInt(rows[0].timeline, 16)
      console.log(JSON.stringify({ id, sentAt, at: now(), timeline }))
      await delay(PAUSE_MS)
    }
  } catch {
    await delay(PAUSE_MS)
  } finally {
    await client.end().catch(() => {})
  }
}
