import { Logger } from '@adonisjs/core/logger'
import { Database } from '@adonisjs/lucid/database'
import pg from 'pg'

import { newMessageId } from '#bus/message'
import CreateInbox from '#database/migrations/bus/002_create_inbox'
import CreateDeadLetters from '#database/migrations/bus/003_create_dead_letters'

/**
 * A database with the tables of consumers and nothing else.
 */
export async function busDatabase(): Promise<{
  pool: pg.Pool
  url: string
  stop(): Promise<void>
}> {
  const name = `bus_${newMessageId()}`
  await onServer(`create database ${name}`)
  const address = new URL(process.env.DATABASE_URL!)
  address.pathname = `/${name}`
  await migrate(address.href)
  const pool = new pg.Pool({ connectionString: address.href, max: 8 })
  pool.on('error', () => {})
  return {
    pool,
    url: address.href,
    async stop() {
      await pool.end()
      await onServer(`drop database ${name} with (force)`)
    },
  }
}

/** Lucid tells somebody of its statements. */
const nobody = { hasListeners: () => false, emit() {} }

async function migrate(url: string): Promise<void> {
  const config = {
    connection: 'bus',
    connections: { bus: { client: 'pg' as const, connection: url } },
  }
  const db = new Database(config, new Logger({ enabled: false }), nobody as never)
  try {
    for (const Migration of [CreateInbox, CreateDeadLetters]) {
      await new Migration(db.connection(), Migration.name, false).execUp()
    }
  } finally {
    await db.manager.closeAll()
  }
}

async function onServer(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: process.env.DATABASE_URL })
  await client.connect()
  await client.query(statement)
  await client.end()
}
