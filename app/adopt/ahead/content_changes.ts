import type pg from 'pg'

import { CONTENT_DIGEST } from '#core/analyses/approved_content'
import { ownRows } from '#adopt/rows/own_rows'
import { idOf } from '#adopt/settle_storage'
import { storageDifferences, type StorageDifference } from '#adopt/storage_differences'
import type { UpcomingChange } from './upcoming_change.js'

const AHEAD: Readonly<Record<StorageDifference['problem'], string>> = {
  'file unlisted': 'is in storage, but core does not list it: it will be listed',
  'file missing': 'is listed by core, but not in storage: it will not be listed any more',
  'bucket missing': 'is listed by core, but not in storage: it is removed, and a new one made',
}

const WITHDRAWN = 'approval of a node will be withdrawn: the content differs from what was approved'

/** Approvals whose content is not the current one, or whose analysis is one of those with other code. */
const APPROVALS = `select n.id from analysis_nodes n join nodes on nodes.id = n.node_id
  join analyses a on a.id = n.analysis_id
  where n.approval_status = 'approved' and nodes.type <> 'aggregator'
    and (a.id = any($1::uuid[]) or n.approved_digest is distinct from ${CONTENT_DIGEST})
  order by n.id`

/** Files that core and storage disagree about, and approvals that are withdrawn therefore. */
export async function* contentChanges(
  core: pg.Pool,
  storage: pg.Pool
): AsyncGenerator<UpcomingChange, void, void> {
  const withOtherCode = new Set<string>()
  for await (const one of storageDifferences({ core: ownRows(core), storage: ownRows(storage) })) {
    const table = one.problem === 'bucket missing' ? 'analysis_buckets' : 'analysis_bucket_files'
    yield { table: `core.${table}`, problem: AHEAD[one.problem], id: idOf(one) }
    if (one.bucket.type === 'CODE') {
      withOtherCode.add(one.bucket.analysisId)
    }
  }
  const { rows } = await core.query<{ id: string }>(APPROVALS, [[...withOtherCode]])
  yield* rows.map(({ id }) => ({ table: 'core.analysis_nodes', problem: WITHDRAWN, id }))
}
