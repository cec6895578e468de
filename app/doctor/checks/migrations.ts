import { readdir } from 'node:fs/promises'

import type { Check } from '#doctor/check'
import { eachDatabase } from '#doctor/each_database'
import { currentMigrations, FormerTables, recordedMigrations } from '#database/former_migrations'
import { finding, type Finding } from '#doctor/finding'
import type { Database, CheckContext } from '#doctor/check_context'

const NAMED_AT_MOST = 3

/** Checks that the migrations match this version. */
export const migrationsCheck: Check = {
  name: 'migrations',
  run(context) {
    return eachDatabase(context, async (database) => {
      const sets = ['bus', ...database.surfaces]
      const found = await Promise.all(sets.map((set) => examine(context, database, set)))
      return found.flat()
    })
  },
}

async function examine(context: CheckContext, database: Database, set: string) {
  try {
    return await compare(context, database, set)
  } catch (error) {
    if (error instanceof FormerTables) {
      return [finding('DATABASE_BEHIND', error.message)]
    }
    throw error
  }
}

async function compare(
  { migrations }: CheckContext,
  { pool }: Database,
  set: string
): Promise<Finding[]> {
  const files = await readdir(new URL(`${set}/`, migrations)).catch(() => [])
  const known = new Set(
    files.filter((file) => /\.[jt]s$/.test(file) && !file.endsWith('.d.ts')).map(nameOf)
  )
  const table = `${set}_migrations`
  const { rows: tables } = await pool.query('select to_regclass($1) as found', [table])
  const recorded = tables[0].found ? await recordedMigrations(pool, table) : []
  const applied = new Set(currentMigrations(table, recorded).map(nameOf))
  const missing = [...known.difference(applied)]
  const newer = [...applied.difference(known)]
  return [
    ...(missing.length > 0 ? [finding('DATABASE_BEHIND', summarize(set, missing))] : []),
    ...(newer.length > 0 ? [finding('DATABASE_AHEAD', summarize(set, newer))] : []),
  ]
}

const nameOf = (path: string) =>
  path
    .split('/')
    .at(-1)!
    .replace(/\.[jt]s$/, '')

function summarize(set: string, names: readonly string[]): string {
  const shown = names.toSorted().slice(0, NAMED_AT_MOST).join(', ')
  const more = names.length - NAMED_AT_MOST
  return `${set}: ${shown}${more > 0 ? ` and ${more} more` : ''}`
}
