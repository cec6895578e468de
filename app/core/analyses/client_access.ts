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
 * Throws unless the actor may read the credentials and permissions of the client of an analysis. This requires
 * permission to update the analysis; for the client of a node it only requires that the node approved the analysis.
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

/** Throws unless the actor may change the permissions of the client of an analysis. */
export async function requireClientChange(
  database: pg.Pool,
  actor: Actor,
  analysis: Row<typeof Analysis>
): Promise<void> {
  requireAgreement(await agreementOf(database, actor, analysis.id))
  requireChangeAccess(actor, analysis)
}

/** The reach of an actor with access to the client of an analysis: it covers the permissions of such a client. */
export const reachOfAnalysis = (actor: Actor): Actor => reachOf(actor, ANALYSIS_CLIENT_PERMISSIONS)

function requireAgreement(agrees: boolean | undefined): void {
  if (agrees === false) {
    throw new PermissionDenied('The node of this client has not approved the analysis')
  }
}

function requireChangeAccess(actor: Actor, analysis: Row<typeof Analysis>): void {
  requireThat(actor, hasPermission('analysis_update', analysis), mayWriteIn(analysis.realmId))
}
