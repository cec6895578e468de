import { inject } from '@adonisjs/core'

import { CoreRecords } from '#core/core_records'
import type { Analysis } from './analysis.js'
import { reachOfAnalysis, requireClientAccess, requireClientChange } from './client_access.js'
import { clientDirectory, clientIdOf, readAnalysis } from './read_analysis.js'
import { requireUnlocked } from './configuration_lock.js'
import { enforce, requires, loggedIn } from '#kernel/access'
import { EntityNotFound, PermissionDenied } from '#kernel/failures'
import { ANALYSIS_CLIENT_PERMISSIONS } from '#auth/client_permissions'
import type { ClientDirectory, ClientPermission, ProviderPermission } from '#auth/provider'
import type { Origin } from '#kernel/origin'
import type { Row } from '#records/row'
import { inTransaction } from '#records/transaction'

const ASSIGNABLE: readonly string[] = ANALYSIS_CLIENT_PERMISSIONS

/** What a caller needs to grant and revoke permissions of analyses. */
export const CHANGE_ACCESS = requires('analysis_update')

/**
 * The permissions of the clients of analyses. The identity provider stores them. Changes are recorded in the audit
 * trail here unless the provider records them itself.
 */
@inject()
export class AnalysisPermissions {
  readonly #records: CoreRecords

  constructor(records: CoreRecords) {
    this.#records = records
  }

  async list(origin: Origin, id: string): Promise<readonly ClientPermission[]> {
    enforce(loggedIn, origin.actor)
    const analysis = await readAnalysis(origin, id)
    await requireClientAccess(this.#records.pool, origin.actor, analysis)
    const { clientId } = analysis
    const clients = await clientDirectory()
    return clientId === null ? [] : clients.permissionsOf(clientId)
  }

  /** Grants a permission by its id or name. Granting it twice returns the first grant. */
  async grant(origin: Origin, id: string, idOrName: string): Promise<ClientPermission> {
    enforce(CHANGE_ACCESS, origin.actor)
    const analysis = await this.#readChangeable(origin, id)
    const clients = await clientDirectory()
    const clientId = clientIdOf(analysis)
    const { id: permissionId } = assignable(await clients.permission(idOrName))
    const existing = await grantOf(clients, clientId, permissionId)
    if (existing) {
      return existing
    }
    const granted = await clients.grant(
      clientId,
      permissionId,
      origin,
      reachOfAnalysis(origin.actor)
    )
    if (!clients.recordsAudit) {
      await this.#recordEvent(origin, analysis, 'created', granted)
    }
    return granted
  }

  /** Revokes a permission and returns the former grant. */
  async revoke(origin: Origin, id: string, permissionId: string): Promise<ClientPermission> {
    enforce(CHANGE_ACCESS, origin.actor)
    const analysis = await this.#readChangeable(origin, id)
    const clients = await clientDirectory()
    const grant = await grantOf(clients, clientIdOf(analysis), permissionId.toLowerCase())
    if (!grant) {
      throw new EntityNotFound('clientPermission')
    }
    await clients.revoke(grant.id, origin, reachOfAnalysis(origin.actor))
    if (!clients.recordsAudit) {
      await this.#recordEvent(origin, analysis, 'deleted', grant)
    }
    return grant
  }

  async #readChangeable(origin: Origin, id: string): Promise<Row<typeof Analysis>> {
    const analysis = await readAnalysis(origin, id)
    await requireClientChange(this.#records.pool, origin.actor, analysis)
    requireUnlocked(analysis)
    return analysis
  }

  #recordEvent(
    origin: Origin,
    { realmId }: Row<typeof Analysis>,
    type: 'created' | 'deleted',
    grant: ClientPermission
  ): Promise<void> {
    const { pool, sink } = this.#records
    const record = { ...grant }
    return inTransaction(pool, (transaction) =>
      sink.record(transaction, {
        kind: 'clientPermission',
        type,
        id: grant.id,
        realmId,
        origin,
        previous: type === 'deleted' ? record : undefined,
        next: type === 'created' ? record : undefined,
        isLasting: true,
      })
    )
  }
}

async function grantOf(clients: ClientDirectory, clientId: string, permissionId: string) {
  const grants = await clients.permissionsOf(clientId)
  return grants.find((grant) => grant.permissionId === permissionId)
}

function assignable(permission: ProviderPermission | undefined): ProviderPermission {
  if (!permission) {
    throw new EntityNotFound('permission')
  }
  if (!ASSIGNABLE.includes(permission.name)) {
    throw new PermissionDenied(
      `This permission cannot be granted to analyses: use ${ASSIGNABLE.join(' or ')}`
    )
  }
  return permission
}
