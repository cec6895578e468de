import { databaseUrl } from '#database/addresses'
import { isAdopting } from '#database/is_adopting'
import { pools } from '#database/pools'
import { CONTENT_DIGEST } from '#core/analyses/approved_content'
import { ownRows } from '#adopt/rows/own_rows'
import { Findings, type Finding, type Recorder } from './findings.js'
import { idOf } from './settle_storage.js'
import { storageDifferences, type StorageDifference } from './storage_differences.js'

/** What the first sweeps of the installation will change. */
export interface Outlook {
  /** While an adoption is open, the sweeps that compare do nothing. */
  readonly isOpen: boolean
  readonly differences: readonly Finding[]
}

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

/** Looks at this installation only, and changes nothing. */
export async function lookAhead(record: Recorder): Promise<Outlook> {
  const core = pools.for(databaseUrl('core'))
  const storage = pools.for(databaseUrl('storage'))
  const found = new Findings(record)
  const withOtherCode = new Set<string>()
  for await (const one of storageDifferences({ core: ownRows(core), storage: ownRows(storage) })) {
    found.add(AHEAD[one.problem], idOf(one))
    if (one.bucket.type === 'CODE') {
      withOtherCode.add(one.bucket.analysisId)
    }
  }
  const { rows } = await core.query<{ id: string }>(APPROVALS, [[...withOtherCode]])
  rows.forEach(({ id }) => found.add(WITHDRAWN, id))
  const open = await Promise.all([isAdopting(core), isAdopting(storage)])
  return { isOpen: open.some(Boolean), differences: found.all }
}
