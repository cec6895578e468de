import type pg from 'pg'

/**
 * Whether an adoption of the former platform's records is in progress. Until it ends, records without an owner may get
 * one.
 */
export async function isAdopting(pool: pg.Pool): Promise<boolean> {
  const { rows } = await pool.query<{ isOpen: boolean }>(
    'select exists (select from adoption_runs where is_open) as "isOpen"'
  )
  return rows[0]!.isOpen
}
