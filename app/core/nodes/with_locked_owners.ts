import type pg from 'pg'

import { lockProjects } from '#core/projects/counters'
import { ServiceUnavailable } from '#kernel/failures'
import { inTransaction } from '#records/transaction'

/** How often the transaction is retried after the node was added to another project or analysis. */
const ATTEMPTS = 5

/** Runs while the owners of a node are locked. It is retried if it returns undefined. */
type OwnersWork<T> = (
  transaction: pg.ClientBase,
  areLocked: () => Promise<boolean>
) => Promise<T | undefined>

/**
 * Locks the projects and analyses of a node; every writer locks them before the node. `work` locks the node, and then checks
 * with `areLocked` that no project or analysis was added meanwhile.
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
  throw new ServiceUnavailable(
    'The projects or analyses of the node are being changed: try again shortly'
  )
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
