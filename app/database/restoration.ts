import type pg from 'pg'

/** The table that marks a database while a backup is restored into it. */
export const RESTORATION = 'restoration'

/** The backup that is being restored into a database, if any. */
export async function restorationIn(
  database: pg.ClientBase | pg.Pool
): Promise<string | undefined> {
  const { rows } = await database.query<{ is: string | null }>('select to_regclass($1) as is', [
    RESTORATION,
  ])
  if (!rows[0]?.is) {
    return undefined
  }
  const marks = await database.query<{ backup: string }>(`select backup from ${RESTORATION}`)
  return marks.rows[0]?.backup
}
