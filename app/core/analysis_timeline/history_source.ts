import type { DatabasePool } from '#database/database_pool'
import type { TimelineEntry, TimelineSource } from './timeline_entry.js'

interface HistoryRow {
  readonly at: Date
  readonly name: string
  readonly value: string | null
  readonly nodeId: string | null
}

const HISTORY = {
  name: 'history-of-analysis',
  text: `select h.changed_at as at, h.name, h.value, n.node_id as "nodeId"
    from status_history h left join analysis_nodes n on n.id = h.subject_id
    where h.subject_id in (select $1::uuid union all select id from analysis_nodes where analysis_id = $1)
      and ($2::timestamptz is null or h.changed_at < $2)
      and (h.name like '%\\_problem') = $4
    order by h.changed_at desc, h.position desc limit $3`,
}

const APPROVAL = 'approval_status'

/** The state changes of an analysis and its assignments that database triggers record, or the problems of processes. */
export function historySource(
  pool: DatabasePool,
  row: 'states' | 'problems' = 'states'
): TimelineSource {
  return {
    async read(analysisId, { until, limit }) {
      const values = [analysisId, until ?? null, limit, row === 'problems']
      const { rows } = await pool.query<HistoryRow>({ ...HISTORY, values })
      return rows.map(row === 'problems' ? problemOf : entryOf)
    },
  }
}

function problemOf(row: HistoryRow): TimelineEntry {
  return { ...entryOf(row), message: row.value! }
}

function entryOf({ at, name, value, nodeId }: HistoryRow): TimelineEntry {
  return {
    time: at.toISOString(),
    source: name === APPROVAL ? 'approval' : 'status',
    name: name.replaceAll(/_(.)/g, (_match, letter: string) => letter.toUpperCase()),
    ...(nodeId !== null && { node: nodeId }),
    data: { value },
  }
}
