import type pg from 'pg'

import { participates } from '#core/analyses/participation'
import type { Actor } from '#kernel/actor'
import { PermissionDenied } from '#kernel/failures'
import { isUuid } from '#kernel/is_uuid'
import { hasPermission, mayWriteIn, requireThat } from '#auth/verification/checks'

/** A part of an analysis, with its realm. */
interface AnalysisPart {
  readonly analysisId: string
  readonly analysisBucketId: string
  readonly realmId: string
}

const PROGRAM = `select
    exists (select 1 from nodes where client_id = $1) as "isOfNode",
    (select id from analyses where client_id = $1 limit 1) as "analysisId",
    (select type from analysis_buckets where id = $2) as type`

/**
 * Throws unless the actor may update the analysis. The client of a node lists files of analyses that the node approved,
 * but never code, and the client of an analysis those of its own only.
 */
export async function requireFileWriter(
  database: pg.Pool | pg.ClientBase,
  actor: Actor,
  { analysisId, analysisBucketId, realmId }: AnalysisPart
): Promise<void> {
  const program = await findProgram(database, actor, analysisBucketId)
  if (program?.isOfNode === true) {
    const isWriter = program.type !== 'CODE' && (await participates(database, actor, analysisId))
    requireReach(isWriter)
    return
  }
  const ownAnalysis = program?.analysisId ?? null
  requireReach(ownAnalysis === null || ownAnalysis === analysisId)
  requireThat(actor, hasPermission('analysis_update'), mayWriteIn(realmId))
}

interface Program {
  readonly isOfNode: boolean
  readonly analysisId: string | null
  readonly type: string | null
}

async function findProgram(
  database: pg.Pool | pg.ClientBase,
  { kind, id }: Actor,
  analysisBucketId: string
): Promise<Program | undefined> {
  if (kind !== 'client' || !isUuid(id)) {
    return undefined
  }
  const { rows } = await database.query<Program>(PROGRAM, [id, analysisBucketId])
  return rows[0]
}

function requireReach(isInReach: boolean): void {
  if (!isInReach) {
    throw new PermissionDenied(
      'The client of a node or an analysis lists files of its own analyses only, and a node no code'
    )
  }
}
