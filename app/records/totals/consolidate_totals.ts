import type pg from 'pg'

const BATCH = 5_000

/**
 * Consolidation moves changes into totals in one statement, so that concurrent readers always see the same sum. It sees
 * all changes of transactions that ended before, which gives the new bound; a full batch may have missed some. If
 * another process holds the lock, it does nothing.
 */
const CONSOLIDATE = {
  name: 'consolidate-totals',
  text: `
    with turn as materialized (
      select pg_try_advisory_xact_lock(hashtextextended('record totals', 0)) as is_ours
    ), added as (
      delete from record_total_changes where ctid = any(array(
        select c.ctid from turn, record_total_changes c where turn.is_ours limit ${BATCH}))
      returning list, realm_id, change
    ), kept as (
      insert into record_totals as t (list, realm_id, records)
      select list, realm_id, sum(change) from added group by list, realm_id
      on conflict (list, realm_id) do update set records = t.records + excluded.records
    ), size as (
      select count(*)::int as changes from added
    ), bound as (
      update record_totals_consolidated set before_transaction_id = pg_snapshot_xmin(pg_current_snapshot())
      where (select changes from size) between 1 and ${BATCH - 1}
    )
    select changes from size`,
}

/** Consolidates pending changes of totals in batches. Reads return the same totals before and after. */
export async function consolidateTotals(pool: pg.Pool, signal?: AbortSignal): Promise<void> {
  let changes = BATCH
  while (changes === BATCH && !signal?.aborted) {
    const { rows } = await pool.query<{ changes: number }>(CONSOLIDATE)
    changes = rows[0]!.changes
  }
}
