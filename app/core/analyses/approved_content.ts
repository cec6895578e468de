import type pg from 'pg'

import { EntityConflict } from '#kernel/failures'
import { issue } from '#kernel/issues'

/** The parts of the content that nodes approve. */
export type ContentPart =
  'files' | 'entrypoint' | 'masterImageId' | 'image' | 'imageCommandArguments'

/** The digest of the content of an analysis `a`. A stored file is immutable, so its id identifies its bytes. */
export const CONTENT_DIGEST = `encode(sha256(convert_to(json_build_array(a.master_image_id, a.image_command_arguments, (
    select json_build_array(m.virtual_path, m.command, m.command_arguments)
    from master_images m where m.id = a.master_image_id), (
    select json_agg(json_build_array(f.bucket_id, f.bucket_file_id, f.path, f.root)
      order by f.bucket_file_id, f.path collate "C")
    from analysis_bucket_files f join analysis_buckets b on b.id = f.analysis_bucket_id
    where f.analysis_id = a.id and b.type = 'CODE'))::text, 'UTF8')), 'hex')`

/** Computes the digest only if a node approved the analysis. */
const OUTDATED = `select n.id from analysis_nodes n join nodes on nodes.id = n.node_id
  where n.analysis_id = $1 and n.approval_status = 'approved' and nodes.type <> 'aggregator'
    and n.approved_digest is distinct from (select ${CONTENT_DIGEST} from analyses a where a.id = $1)
  order by n.id`

/** The digest of the current content, which a node approves. The caller has locked the analysis. */
export async function digestOf(transaction: pg.ClientBase, analysisId: string): Promise<string> {
  const { rows } = await transaction.query<{ digest: string }>(
    `select ${CONTENT_DIGEST} as digest from analyses a where a.id = $1`,
    [analysisId]
  )
  return rows[0]!.digest
}

/** Throws if the content is not the one whose digest the caller sent. */
export function requireSameContent(contentDigest: string | undefined, currentDigest: string): void {
  if (contentDigest !== undefined && contentDigest !== currentDigest) {
    const message =
      'The content of the analysis changed since you read it: read it again, then decide'
    const meta = { contentDigest, currentDigest }
    throw new EntityConflict(message, {
      issues: [issue('content_changed', ['contentDigest'], message, { meta })],
    })
  }
}

/** The ids of the assignments whose nodes approved other content than the current one. */
export async function outdatedApprovals(
  transaction: pg.ClientBase,
  analysisId: string
): Promise<string[]> {
  const { rows } = await transaction.query<{ id: string }>({
    name: 'outdated-approvals',
    text: OUTDATED,
    values: [analysisId],
  })
  return rows.map(({ id }) => id)
}
