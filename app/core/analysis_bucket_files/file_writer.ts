import type pg from 'pg'

import { participates } from '#core/analyses/participation'
import type { Actor } from '#kernel/actor'
import { hasPermission, mayWriteIn, requireThat } from '#auth/verification/checks'

/** What belongs to an analysis, and to its realm. */
interface AnalysisPart {
  readonly analysisId: string
  readonly realmId: string
}

/**
 * Throws unless the actor may write the files of an analysis: those of a bucket, or one file. An actor that may change the analysis
 * may, and the client of a node that takes part in it.
 */
export async function requireFileWriter(
  database: pg.Pool | pg.ClientBase,
  actor: Actor,
  { analysisId, realmId }: AnalysisPart
): Promise<void> {
  if (!(await participates(database, actor, analysisId))) {
    requireThat(actor, hasPermission('analysis_update'), mayWriteIn(realmId))
  }
}
