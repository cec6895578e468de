import type pg from 'pg'

import { lockProjects } from '#core/projects/counters'
import { ServiceUnavailable } from '#kernel/failures'
import { inTransaction } from '#records/transaction'

/** How often something begins anew because the node got into another project or analysis meanwhile. */
const ATTEMPTS = 5

/** What is done while all that a node is part of is held. It is done anew where it answers undefined. */
type OwnersWork<T> = (
  transaction: pg.ClientBase,
  areHeld: () => Promise<boolean>
) => Promise<T | undefined>

/**
 * Holds the projects and analyses that a node is part of, which everybody locks before the node itself. `work` locks the
 * node, and asks then whether it became part of others before that.
 */
export async function withLockedOwners<T>(
  pool: pg.Pool,
  nodeId: string,
  work: OwnersWork<T>
): Promise<T> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const result = await inTransaction(pool, async (transaction) => {
      const locked = await lockOwners(transaction, nodeId)
      return work(transaction, () => areAllLocked(transaction, nodeId, locked))
    })
    if (result !== undefined) {
      return result
    }
  }
  throw new ServiceUnavailable('Others are changing what the node is part of; try again shortly')
}

async function lockOwners(
  transaction: pg.ClientBase,
  nodeId: string
): Promise<ReadonlySet<string>> {
  const { projects, analyses } = await findOwners(transaction, nodeId)
  await lockProjects(transaction, projects)
  await transaction.query('select 1 from analyses where id = any($1) order by id for update', [
    analyses,
  ])
  return new Set([...projects, ...analyses])
}

async function areAllLocked(
  transaction: pg.ClientBase,
  nodeId: string,
  locked: ReadonlySet<string>
): Promise<boolean> {
  const { projects, analyses } = await findOwners(transaction, nodeId)
  return [...projects, ...analyses].every((id) => locked.has(id))
}

async function findOwners(transaction: pg.ClientBase, nodeId: string) {
  const { rows } = await transaction.query<{ projects: string[]; analyses: string[] }>(
    `select array(select project_id from project_nodes where node_id = $1) as projects,
       array(select analysis_id from analysis_nodes where node_id = $1) as analyses`,
    [nodeId]
  )
  return rows[0]!
}
