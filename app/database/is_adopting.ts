import type pg from 'pg'

/** A service whose records are being adopted from the former platform. */
export interface OpenAdoption {
  readonly service: string
  /** When its last run began. */
  readonly since: string
}

/** The adoptions in a database that were not closed, by service. */
export async function openAdoptions(database: pg.ClientBase | pg.Pool): Promise<OpenAdoption[]> {
  const { rows } = await database.query<{ service: string; since: Date }>(
    'select surface as service, started_at as since from adoption_runs where is_open order by surface'
  )
  return rows.map(({ service, since }) => ({ service, since: new Date(since).toISOString() }))
}

/**
 * Whether an adoption of the former platform's records is in progress. Until it ends, records without an owner may get
 * one.
 */
export async function isAdopting(database: pg.ClientBase | pg.Pool): Promise<boolean> {
  const open = await openAdoptions(database)
  return open.length > 0
}
