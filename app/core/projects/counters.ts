import type pg from 'pg'

/** The counter columns of a project. */
export type ProjectCounter = 'nodes' | 'analyses'

/**
 * Changes a counter in the transaction that adds or removes the counted record. This locks the project, so call it
 * before locking analyses and nodes. Returns false if the project does not exist.
 */
export async function changeCount(
  transaction: pg.ClientBase,
  counter: ProjectCounter,
  projectId: string,
  change: 1 | -1
): Promise<boolean> {
  const { rowCount } = await transaction.query({
    name: `count-project-${counter}`,
    text: `update projects set ${counter} = ${counter} + $2 where id = $1`,
    values: [projectId, change],
  })
  return rowCount === 1
}

/** Locks projects in the order of their ids; returns the existing ones. */
export async function lockProjects(
  transaction: pg.ClientBase,
  ids: readonly string[]
): Promise<ReadonlySet<string>> {
  const { rows } = await transaction.query<{ id: string }>(
    'select id from projects where id = any($1) order by id for no key update',
    [ids]
  )
  return new Set(rows.map(({ id }) => id))
}
