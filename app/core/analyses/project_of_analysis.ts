import type pg from 'pg'

import { changeCount } from '#core/projects/counters'
import type { DatabasePool } from '#database/database_pool'
import type { Actor } from '#kernel/actor'
import { RelationInvalid } from '#kernel/failures'

/** The attributes of a project that a new analysis depends on. */
export interface ProjectOfAnalysis {
  readonly realmId: string
  readonly masterImageId: string | null
  /** Whether a node of the actor's realm approved the project. */
  readonly hasNodeOfActor: boolean
}

const PROJECT = `select realm_id as "realmId", master_image_id as "masterImageId", exists (
    select 1 from project_nodes
    where project_id = p.id and node_realm_id::text = $2 and approval_status = 'approved'
  ) as "hasNodeOfActor"
  from projects p where id = $1`

/** The project in which an actor creates an analysis. */
export async function findProject(
  pool: DatabasePool,
  actor: Actor,
  projectId: string
): Promise<ProjectOfAnalysis> {
  const { rows } = await pool.query<ProjectOfAnalysis>(PROJECT, [projectId, actor.realmId])
  return rows[0] ?? throwRelationMissing()
}

/** Counts a new analysis, which also locks its project. */
export async function countInProject(transaction: pg.ClientBase, projectId: string): Promise<void> {
  if (!(await changeCount(transaction, 'analyses', projectId, 1))) {
    throwRelationMissing()
  }
}

/** Locks the project of an analysis; every writer locks it before the analysis. */
export async function lockProjectOf(transaction: pg.ClientBase, id: string): Promise<void> {
  await transaction.query(
    `select 1 from projects where id = (select project_id from analyses where id = $1)
     for no key update`,
    [id]
  )
}

function throwRelationMissing(): never {
  throw new RelationInvalid('The body refers to a record that was deleted')
}
