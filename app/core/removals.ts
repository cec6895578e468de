import app from '@adonisjs/core/services/app'

import { AnalysisService } from '#core/analyses/analysis_service'
import { AnalysisBucketFileService } from '#core/analysis_bucket_files/analysis_bucket_file_service'
import { ProjectService } from '#core/projects/project_service'
import { RegistryProjectService } from '#core/registry_projects/registry_project_service'
import { corePool } from './database.js'
import type { Reactions } from '#auth/reactions'
import { realmSweep, userSweep } from '#auth/reconcile_people'
import { serviceOrigin } from '#auth/service_origin'
import type { Sweep } from '#jobs/sweep'
import { inTransaction } from '#records/transaction'
import { ignoreNotFound } from '#records/ignore_not_found'

import { NodeService } from '#core/nodes/node_service'

const PAGE = 100

/** The tables with records of realms, and the services of records that refer to users. */
const REALM_TABLES = ['analyses', 'projects', 'nodes', 'registry_projects']
const USER_SERVICES = {
  projects: ProjectService,
  analyses: AnalysisService,
  analysis_bucket_files: AnalysisBucketFileService,
}

/** The reactions of core to deleted realms and users. */
export const coreReactions: Reactions = { realmDeleted: removeRealm, userDeleted: releaseUser }

/** Finds realms and users that were deleted while no process was running. */
export function removalSweeps(provider: Parameters<typeof realmSweep>[0]['provider']): Sweep[] {
  return [
    realmSweep({
      provider,
      referencedIds: () => findReferences(REALM_TABLES, 'realm_id'),
      removeReferences: removeRealm,
    }),
    userSweep({
      provider,
      referencedIds: () => findReferences(Object.keys(USER_SERVICES), 'user_id'),
      removeReferences: releaseUser,
    }),
  ]
}

/** Deletes the records of a realm, each as if a caller had deleted it. Returns their number. */
async function removeRealm(realmId: string): Promise<number> {
  const origin = await serviceOrigin()
  const { container } = app
  const analyses = await container.make(AnalysisService)
  const projects = await container.make(ProjectService)
  const nodes = await container.make(NodeService)
  const registryProjects = await container.make(RegistryProjectService)
  const removals: [string, (id: string) => Promise<unknown>][] = [
    ['analyses', (id) => analyses.remove(origin, id)],
    ['projects', (id) => projects.remove(origin, id)],
    ['nodes', (id) => nodes.remove(origin, id)],
    [
      'registry_projects',
      (id) => inTransaction(corePool(), (it) => registryProjects.removeForNode(it, origin, id)),
    ],
  ]
  let removed = 0
  for (const [table, remove] of removals) {
    for await (const id of findIds(table, 'realm_id', realmId)) {
      await ignoreNotFound(remove(id))
      removed++
    }
  }
  return removed
}

/** Removes the references to a user from records, which stay. Returns their number. */
async function releaseUser(userId: string): Promise<number> {
  const origin = await serviceOrigin()
  let released = 0
  for (const [table, Service] of Object.entries(USER_SERVICES)) {
    const service = await app.container.make(Service)
    for await (const id of findIds(table, 'user_id', userId)) {
      await ignoreNotFound(service.detachUser(origin, id))
      released++
    }
  }
  return released
}

async function* findIds(table: string, column: string, value: string): AsyncGenerator<string> {
  let last = '00000000-0000-0000-0000-000000000000'
  let size = PAGE
  while (size === PAGE) {
    const { rows } = await corePool().query<{ id: string }>(
      `select id from ${table} where ${column} = $1 and id > $2 order by id limit ${PAGE}`,
      [value, last]
    )
    yield* rows.map(({ id }) => id)
    size = rows.length
    last = rows.at(-1)?.id ?? last
  }
}

async function findReferences(tables: readonly string[], column: string): Promise<string[]> {
  const queries = tables.map(
    (table) => `select ${column} as id from ${table} where ${column} is not null`
  )
  const { rows } = await corePool().query<{ id: string }>(queries.join(' union '))
  return rows.map(({ id }) => id)
}
