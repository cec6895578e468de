import type pg from 'pg'

import type { Analysis } from './analysis.js'
import { agreementOf } from './participation.js'
import type { Actor } from '#kernel/actor'
import { PermissionDenied } from '#kernel/failures'
import { ANALYSIS_CLIENT_PERMISSIONS } from '#auth/client_permissions'
import { reachOf } from '#auth/reach'
import { hasPermission, mayWriteIn, requireThat } from '#auth/verification/checks'
import type { Row } from '#records/row'

/**
 * Throws unless the actor may have what the client of an analysis logs in with, and see what that may do: who may change the
 * analysis may. The client of a node has to have its node's agreement for it, and needs nothing else.
 */
export async function requireClientAccess(
  database: pg.Pool,
  actor: Actor,
  analysis: Row<typeof Analysis>
): Promise<void> {
  const agrees = await agreementOf(database, actor, analysis.id)
  requireAgreement(agrees)
  if (agrees === undefined) {
    requireChangeAccess(actor, analysis)
  }
}

/** Throws unless the actor may say what the client of an analysis may do. */
export async function requireClientChange(
  database: pg.Pool,
  actor: Actor,
  analysis: Row<typeof Analysis>
): Promise<void> {
  requireAgreement(await agreementOf(database, actor, analysis.id))
  requireChangeAccess(actor, analysis)
}

/** An actor that is let in to the client of an analysis reaches what such a client may do. */
export const reachOfAnalysis = (actor: Actor): Actor => reachOf(actor, ANALYSIS_CLIENT_PERMISSIONS)

function requireAgreement(agrees: boolean | undefined): void {
  if (agrees === false) {
    throw new PermissionDenied('The node of this client did not agree to take part in the analysis')
  }
}

function requireChangeAccess(actor: Actor, analysis: Row<typeof Analysis>): void {
  requireThat(actor, hasPermission('analysis_update', analysis), mayWriteIn(analysis.realmId))
}
