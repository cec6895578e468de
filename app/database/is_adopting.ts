import type pg from 'pg'

/**
 * Whether records of the former platform are being taken over into a database: until that is over, what seems to belong to nobody
 * may belong to what is yet to come.
 */
export async function isAdopting(pool: pg.Pool): Promise<boolean> {
  const { rows } = await pool.query<{ isOpen: boolean }>(
    'select exists (select from adoption_runs where is_open) as "isOpen"'
  )
  return rows[0]!.isOpen
}
