import type pg from 'pg'

import { CONTENT_DIGEST } from '#core/analyses/approved_content'
import type { Origin } from '#kernel/origin'
import { isUuid } from '#kernel/is_uuid'
import { compareContent, type ContentChanges, type DecidedContent } from './content_changes.js'

/** The decision of a node, and the assignment that it is about. */
interface Decision {
  readonly analysisId: string
  readonly nodeId: string
  readonly approvalStatus: 'approved' | 'rejected'
}

/** The last decision of a node about an analysis. */
interface LastDecision {
  readonly approvalStatus: 'approved' | 'rejected'
  readonly digest: string
  readonly decidedAt: string
  readonly actorType: string
  readonly actorId: string | null
  readonly actorName: string | null
}

/** The last decision of a node, and what changed since; both null if it decided never. */
export interface ChangesSinceDecision {
  readonly digest: string
  readonly decision: LastDecision | null
  readonly changes: ContentChanges | null
}

/** As jsonb, which orders the keys of objects. */
const CONTENT = `jsonb_build_object(
    'masterImage', (
      select jsonb_build_object('id', m.id, 'virtualPath', m.virtual_path, 'command', m.command,
        'commandArguments', m.command_arguments::jsonb)
      from master_images m where m.id = a.master_image_id),
    'imageCommandArguments', a.image_command_arguments::jsonb,
    'files', (
      select coalesce(jsonb_agg(jsonb_build_object('bucketFileId', f.bucket_file_id, 'path', f.path,
        'root', f.root) order by f.path collate "C", f.bucket_file_id), '[]')
      from analysis_bucket_files f join analysis_buckets b on b.id = f.analysis_bucket_id
      where f.analysis_id = a.id and b.type = 'CODE'))`

const KEEP = `insert into analysis_node_decisions
    (analysis_id, node_id, decision, content_digest, content, actor_type, actor_id, actor_name)
  select a.id, $2, $3, ${CONTENT_DIGEST}, ${CONTENT}, $4, $5, $6 from analyses a where a.id = $1
  on conflict (analysis_id, node_id) do update set decision = excluded.decision,
    content_digest = excluded.content_digest, content = excluded.content,
    actor_type = excluded.actor_type, actor_id = excluded.actor_id,
    actor_name = excluded.actor_name, decided_at = now()`

const READ = {
  name: 'changes-since-decision',
  text: `select ${CONTENT_DIGEST} as digest, d.content as previous,
      case when d.content_digest is not null then json_build_object(
        'approvalStatus', d.decision, 'digest', d.content_digest, 'decidedAt',
        to_char(d.decided_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        'actorType', d.actor_type, 'actorId', d.actor_id, 'actorName', d.actor_name) end as decision,
      case when d.content_digest is not null then ${CONTENT} end as next
    from analyses a
      left join analysis_node_decisions d on d.analysis_id = a.id and d.node_id = $2
    where a.id = $1`,
}

interface ChangesRow {
  readonly digest: string
  readonly decision: LastDecision | null
  readonly previous: DecidedContent | null
  readonly next: DecidedContent | null
}

/** Keeps the content that a node decides about, in place of the one before. The caller has locked the analysis. */
export async function keepDecision(
  transaction: pg.ClientBase,
  { actor }: Origin,
  { analysisId, nodeId, approvalStatus }: Decision
): Promise<void> {
  const by = [actor.kind, isUuid(actor.id) ? actor.id : null, actor.name]
  await transaction.query(KEEP, [analysisId, nodeId, approvalStatus, ...by])
}

/** What differs from the content about which the node decided last. The analysis must exist. */
export async function changesSinceDecision(
  pool: pg.Pool,
  { analysisId, nodeId }: Omit<Decision, 'approvalStatus'>
): Promise<ChangesSinceDecision> {
  const { rows } = await pool.query<ChangesRow>({ ...READ, values: [analysisId, nodeId] })
  const { digest, decision, previous, next } = rows[0]!
  return { digest, decision, changes: previous && next && compareContent(previous, next) }
}
