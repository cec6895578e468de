import type pg from 'pg'

/** What a project counts, by the column that holds the count. */
export type ProjectCounter = 'nodes' | 'analyses'

/**
 * Counts what a project gains or loses, on the transaction that adds or removes it. It locks the project until the end of the
 * transaction, so it comes before any lock on analyses and nodes. Answers false where the project is gone.
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

/** Locks projects in an order that is the same everywhere; answers those that are there. */
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
