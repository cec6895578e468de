import type pg from 'pg'

import { analyses } from '#core/analyses/services'
import { analysisBucketFile } from '#core/analysis_bucket_files/analysis_bucket_file'
import { projects } from '#core/projects/services'
import { databaseUrl } from '#database/addresses'
import { pools } from '#database/pools'
import type { Reactions } from '#auth/reactions'
import { realmSweep, userSweep } from '#auth/reconcile_people'
import { serviceOrigin } from '#auth/service_origin'
import type { Sweep } from '#jobs/sweep'
import type { Origin } from '#kernel/origin'
import { lazyService } from '#records/services'
import { inTransaction } from '#records/transaction'
import { unlessGone } from '#records/unless_gone'

import { RegistryConnection } from './nodes/registry_connection.js'
import { nodes } from './nodes/services.js'

const PAGE = 100

const files = lazyService('core', analysisBucketFile)
const pool = () => pools.for(databaseUrl('core'))

/** What belongs to a realm, and whoever refers to a user, by table. */
const OF_REALMS = ['analyses', 'projects', 'nodes', 'registry_projects']
const OF_USERS = { projects, analyses, analysis_bucket_files: files }

/** What core does when realms and users go. */
export const coreReactions: Reactions = { realmDeleted: removeRealm, userDeleted: releaseUser }

/** Finds out about realms and users that went while nobody listened. */
export function removalSweeps(provider: Parameters<typeof realmSweep>[0]['provider']): Sweep[] {
  return [
    realmSweep({ provider, held: () => heldIn(OF_REALMS, 'realm_id'), forget: removeRealm }),
    userSweep({
      provider,
      held: () => heldIn(Object.keys(OF_USERS), 'user_id'),
      forget: releaseUser,
    }),
  ]
}

/** Removes what belongs to a realm, each record as if somebody had deleted it; answers how many. */
async function removeRealm(realmId: string): Promise<number> {
  const origin = await serviceOrigin()
  const connection = new RegistryConnection(pool())
  const removals: [string, (id: string) => Promise<unknown>][] = [
    ['analyses', (id) => analyses().remove(origin, id)],
    ['projects', (id) => projects().remove(origin, id)],
    ['nodes', (id) => nodes().remove(origin, id)],
    ['registry_projects', (id) => inOne((it) => connection.disconnect(it, origin, id))],
  ]
  let removed = 0
  for (const [table, remove] of removals) {
    for await (const id of idsWhere(table, 'realm_id', realmId)) {
      await unlessGone(remove(id))
      removed++
    }
  }
  return removed
}

/** Lets go of a user, whose records stay; answers how many those are. */
async function releaseUser(userId: string): Promise<number> {
  const origin = await serviceOrigin()
  let released = 0
  for (const [table, service] of Object.entries(OF_USERS)) {
    for await (const id of idsWhere(table, 'user_id', userId)) {
      await unlessGone(release(service, origin, id))
      released++
    }
  }
  return released
}

function release(
  service: (typeof OF_USERS)['projects' | 'analyses'] | typeof files,
  origin: Origin,
  id: string
) {
  return inOne((transaction) => service().updateWithin(transaction, origin, id, { userId: null }))
}

const inOne = <T>(work: (transaction: pg.ClientBase) => Promise<T>) => inTransaction(pool(), work)

async function* idsWhere(table: string, column: string, value: string): AsyncGenerator<string> {
  let last = '00000000-0000-0000-0000-000000000000'
  let size = PAGE
  while (size === PAGE) {
    const { rows } = await pool().query<{ id: string }>(
      `select id from ${table} where ${column} = $1 and id > $2 order by id limit ${PAGE}`,
      [value, last]
    )
    yield* rows.map(({ id }) => id)
    size = rows.length
    last = rows.at(-1)?.id ?? last
  }
}

async function heldIn(tables: readonly string[], column: string): Promise<string[]> {
  const each = tables.map(
    (table) => `select ${column} as id from ${table} where ${column} is not null`
  )
  const { rows } = await pool().query<{ id: string }>(each.join(' union '))
  return rows.map(({ id }) => id)
}
