import type pg from 'pg'

import { participates } from '#core/analyses/participation'
import type { Actor } from '#kernel/actor'
import { hasPermission, mayWriteIn, requireThat } from '#auth/verification/checks'

/** A part of an analysis, with its realm. */
interface AnalysisPart {
  readonly analysisId: string
  readonly realmId: string
}

/** Throws unless the actor may update the analysis, or is the client of a node that approved it. */
export async function requireFileWriter(
  database: pg.Pool | pg.ClientBase,
  actor: Actor,
  { analysisId, realmId }: AnalysisPart
): Promise<void> {
  if (!(await participates(database, actor, analysisId))) {
    requireThat(actor, hasPermission('analysis_update'), mayWriteIn(realmId))
  }
}
