import type pg from 'pg'

const BATCH = 5_000

/**
 * What is added up and what is left of it change together, so that whoever reads meanwhile finds the same sum. All that was written
 * by transactions which had ended by then is seen, whence the new bound; a batch that is full may have left some of it. Where
 * another process is at it, nothing is done.
 */
const CONSOLIDATE = {
  name: 'add-up-totals',
  text: `
    with turn as materialized (
      select pg_try_advisory_xact_lock(hashtextextended('record totals', 0)) as is_ours
    ), added as (
      delete from record_total_changes where ctid = any(array(
        select c.ctid from turn, record_total_changes c where turn.is_ours limit ${BATCH}))
      returning list, part, change
    ), kept as (
      insert into record_totals as t (list, part, records)
      select list, part, sum(change) from added group by list, part
      on conflict (list, part) do update set records = t.records + excluded.records
    ), size as (
      select count(*)::int as changes from added
    ), bound as (
      update record_totals_added set below = pg_snapshot_xmin(pg_current_snapshot())
      where (select changes from size) between 1 and ${BATCH - 1}
    )
    select changes from size`,
}

/** Adds up what was noted of totals since the last time, in batches. Readers find the same before and after. */
export async function consolidateTotals(pool: pg.Pool, signal?: AbortSignal): Promise<void> {
  let changes = BATCH
  while (changes === BATCH && !signal?.aborted) {
    const { rows } = await pool.query<{ changes: number }>(CONSOLIDATE)
    changes = rows[0]!.changes
  }
}
