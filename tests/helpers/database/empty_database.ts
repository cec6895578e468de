import { readdir } from 'node:fs/promises'

import { Logger } from '@adonisjs/core/logger'
import { Database } from '@adonisjs/lucid/database'
import type { BaseSchema } from '@adonisjs/lucid/schema'
import pg from 'pg'

import type { SurfaceName } from '#configuration/surfaces'
import { newId } from '#kernel/new_id'

type Migration = new (...values: ConstructorParameters<typeof BaseSchema>) => BaseSchema

const MIGRATIONS = new URL('../../../database/migrations/', import.meta.url)

const NOT_PERMITTED = '42501'

/** Lucid has a listener for its statements. */
const nobody = { hasListeners: () => false, emit() {} }

/** A database of its own with no table in it. */
export async function emptyDatabase() {
  const name = `empty_${newId().toLowerCase().replace(/\W/g, '_')}`
  await onServer(`create database "${name}"`)
  const address = new URL(process.env.DATABASE_URL!)
  address.pathname = `/${name}`
  const db = new Database(
    {
      connection: 'empty',
      connections: { empty: { client: 'pg' as const, connection: address.href } },
    },
    new Logger({ enabled: false }),
    nobody as never
  )
  const pool = new pg.Pool({ connectionString: address.href, max: 8 })
  pool.on('error', () => {})
  return {
    pool,
    url: address.href,
    /** Creates the tables of these folders of migrations; those of the bus are first. */
    async migrate(...folders: readonly (SurfaceName | 'bus')[]) {
      for (const folder of folders) {
        for (const Each of await migrationsIn(folder)) {
          await new Each(db.connection(), Each.name, false).execUp()
        }
      }
    },
    async stop() {
      await pool.end()
      await db.manager.closeAll()
      await dropDatabase(name)
    },
  }
}

async function migrationsIn(folder: string): Promise<Migration[]> {
  const files = await readdir(new URL(`${folder}/`, MIGRATIONS))
  const modules: Promise<{ default: Migration }>[] = files
    .toSorted()
    .map((file) => import(`#migrations/${folder}/${file.replace(/\.ts$/, '')}`))
  return (await Promise.all(modules)).map((module) => module.default)
}

/** Who is not a superuser cannot end a vacuum that the server began by itself; a removal without force waits for it to end. */
export async function dropDatabase(name: string): Promise<void> {
  try {
    await onServer(`drop database "${name}" with (force)`)
  } catch (error) {
    if ((error as { code?: string }).code !== NOT_PERMITTED) {
      throw error
    }
    await onServer(`drop database "${name}"`)
  }
}

async function onServer(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: process.env.DATABASE_URL })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
