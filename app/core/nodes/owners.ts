import type pg from 'pg'

import { lockProjects } from '#core/projects/counters'

/**
 * Locks the projects and analyses that a node is part of, which everybody locks before the node itself. Answers their ids.
 */
export async function lockOwners(
  transaction: pg.ClientBase,
  nodeId: string
): Promise<ReadonlySet<string>> {
  const { projects, analyses } = await ownersOf(transaction, nodeId)
  await lockProjects(transaction, projects)
  await transaction.query('select 1 from analyses where id = any($1) order by id for update', [
    analyses,
  ])
  return new Set([...projects, ...analyses])
}

/** Whether a node, locked by now, is part of nothing else than of what was locked before it. */
export async function areAllLocked(
  transaction: pg.ClientBase,
  nodeId: string,
  locked: ReadonlySet<string>
): Promise<boolean> {
  const { projects, analyses } = await ownersOf(transaction, nodeId)
  return [...projects, ...analyses].every((id) => locked.has(id))
}

async function ownersOf(transaction: pg.ClientBase, nodeId: string) {
  const { rows } = await transaction.query<{ projects: string[]; analyses: string[] }>(
    `select array(select project_id from project_nodes where node_id = $1) as projects,
       array(select analysis_id from analysis_nodes where node_id = $1) as analyses`,
    [nodeId]
  )
  return rows[0]!
}
