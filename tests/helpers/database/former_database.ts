import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'

import pg from 'pg'

import { emptyDatabase } from './empty_database.js'

/**
 * What `pg_dump` says of a database that the last version with many migrations made. One expression is as its migration
 * wrote it, because a dump adds casts.
 */
const DUMP = new URL('../../fixtures/database/last_former_version.sql.gz', import.meta.url)

/** A database with the tables of the last version with many migrations, and nothing in them. */
export async function formerDatabase() {
  const database = await emptyDatabase()
  const dump = await promisify(gunzip)(await readFile(DUMP))
  // Its settings end with the connection.
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  await client.query(dump.toString())
  await client.end()
  return database
}
