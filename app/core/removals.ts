import app from '@adonisjs/core/services/app'

import { Analysis } from '#core/analyses/analysis'
import { AnalysisService } from '#core/analyses/analysis_service'
import { AnalysisBucketFile } from '#core/analysis_bucket_files/analysis_bucket_file'
import { AnalysisBucketFileService } from '#core/analysis_bucket_files/analysis_bucket_file_service'
import { Project } from '#core/projects/project'
import { ProjectService } from '#core/projects/project_service'
import { RegistryProject } from '#core/registry_projects/registry_project'
import { RegistryProjectService } from '#core/registry_projects/registry_project_service'
import { corePool } from './database.js'
import type { Reactions } from '#auth/reactions'
import {
  missingRealms,
  missingUsers,
  realmSweep,
  userSweep,
  type PeopleReader,
} from '#auth/reconcile_people'
import { serviceOrigin } from '#auth/service_origin'
import type { Sweep } from '#jobs/sweep'
import { ignoreNotFound } from '#records/ignore_not_found'
import { inPages } from '#records/in_pages'
import type { ModelClass } from '#records/model'
import { inTransaction } from '#records/transaction'

import { Node } from '#core/nodes/node'
import { NodeService } from '#core/nodes/node_service'

/** The models with records of realms, and those of records that refer to users, with their services. */
const OF_REALMS = [Analysis, Project, Node, RegistryProject]
const OF_USERS = [
  [Project, ProjectService],
  [Analysis, AnalysisService],
  [AnalysisBucketFile, AnalysisBucketFileService],
] as const

/** The reactions of core to deleted realms and users. */
export const coreReactions: Reactions = { realmDeleted: removeRealm, userDeleted: releaseUser }

/** Finds realms and users that were deleted while no process was running. */
export function removalSweeps(provider: PeopleReader): Sweep[] {
  return [
    realmSweep({ provider, referencedIds: referencedRealms, removeReferences: removeRealm }),
    userSweep({ provider, referencedIds: referencedUsers, removeReferences: releaseUser }),
  ]
}

/** Realms and users that records refer to, and that the provider does not know. */
export interface UnknownPeople {
  readonly realms: readonly string[]
  readonly users: readonly string[]
}

/** Whose records the sweeps will remove, or release. */
export async function unknownPeople(provider: PeopleReader): Promise<UnknownPeople> {
  return {
    realms: await missingRealms(provider, await referencedRealms()),
    users: await missingUsers(provider, await referencedUsers()),
  }
}

/** The realms that have records. */
const referencedRealms = (): Promise<string[]> => findReferences(OF_REALMS, 'realmId')

/** The users that records name. */
const referencedUsers = (): Promise<string[]> =>
  findReferences(
    OF_USERS.map(([model]) => model),
    'userId'
  )

/** Deletes the records of a realm, each as if a caller had deleted it. Returns their number. */
async function removeRealm(realmId: string): Promise<number> {
  const origin = await serviceOrigin()
  const { container } = app
  const analyses = await container.make(AnalysisService)
  const projects = await container.make(ProjectService)
  const nodes = await container.make(NodeService)
  const registryProjects = await container.make(RegistryProjectService)
  const removals: [ModelClass, (id: string) => Promise<unknown>][] = [
    [Analysis, (id) => analyses.remove(origin, id)],
    [Project, (id) => projects.remove(origin, id)],
    [Node, (id) => nodes.remove(origin, id)],
    [
      RegistryProject,
      (id) => inTransaction(corePool(), (it) => registryProjects.removeForNode(it, origin, id)),
    ],
  ]
  let removed = 0
  for (const [model, remove] of removals) {
    for await (const { id } of inPages(model.query().select('id').where('realmId', realmId))) {
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
  for (const [model, Service] of OF_USERS) {
    const service = await app.container.make(Service)
    for await (const { id } of inPages(model.query().select('id').where('userId', userId))) {
      await ignoreNotFound(service.detachUser(origin, id))
      released++
    }
  }
  return released
}

async function findReferences(
  models: readonly ModelClass[],
  column: 'realmId' | 'userId'
): Promise<string[]> {
  const queries = models.map((model) => model.query().distinct(column).whereNotNull(column))
  const found = await Promise.all(queries)
  return [...new Set(found.flat().map((record) => record.$getAttribute(column) as string))]
}
