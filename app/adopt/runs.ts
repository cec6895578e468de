import type pg from 'pg'

import type { Service, Transfer } from './transfer.js'

/** Starts or resumes the run of a service. Returns the tables that are already finished. */
export async function startRun(
  pool: pg.Pool,
  service: Service,
  transfers: readonly Transfer[]
): Promise<ReadonlySet<string>> {
  await pool.query(
    `insert into adoption_runs (surface) values ($1) on conflict (surface) do update
     set is_open = true, ended_at = null, started_at = case
       when adoption_runs.ended_at is null then adoption_runs.started_at else now() end`,
    [service]
  )
  const { rows } = await pool.query<{ tableName: string }>(
    `select t.table_name as "tableName" from adopted_tables t join adoption_runs r on r.surface = $1
     where t.table_name = any($2) and t.position is null and t.completed_at >= r.started_at`,
    [service, transfers.map(({ table }) => table)]
  )
  return new Set(rows.map(({ tableName }) => tableName))
}

/** Whether the adoption of a service was completed. */
export async function isClosed(pool: pg.Pool, service: Service): Promise<boolean> {
  const { rowCount } = await pool.query(
    'select from adoption_runs where surface = $1 and not is_open',
    [service]
  )
  return rowCount === 1
}

/** Whether records of a service were adopted here, in this run or before. */
export async function wasAdopted(pool: pg.Pool, service: Service): Promise<boolean> {
  const { rowCount } = await pool.query('select from adoption_runs where surface = $1', [service])
  return rowCount === 1
}

export async function endRun(pool: pg.Pool, service: Service): Promise<void> {
  await pool.query('update adoption_runs set ended_at = now() where surface = $1', [service])
}

/** Closes the run, so that sweeps of orphaned data resume. */
export async function closeRun(pool: pg.Pool, service: Service): Promise<void> {
  await pool.query('update adoption_runs set is_open = false where surface = $1', [service])
}
