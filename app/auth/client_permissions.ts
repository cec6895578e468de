import type { ClientDirectory, ProviderPermission } from './provider.js'

/** The permissions of a node's client. */
export const NODE_CLIENT_PERMISSIONS = ['analysis_update'] as const

/** The initial permissions of an analysis client. More can be granted. */
export const ANALYSIS_CLIENT_PERMISSIONS = [
  'analysis_self_storage_use',
  'analysis_self_message_broker_use',
] as const

/** Whether this is the permission of the platform. A realm or a client may define another one of the same name. */
export function isGlobalPermission({ realmId, clientId }: ProviderPermission): boolean {
  return (realmId ?? clientId ?? null) === null
}

/** The permissions that a client should have. */
export interface TargetPermissions {
  readonly names: readonly string[]
  /** Whether all other permissions are revoked. */
  readonly exclusive?: boolean
}

/** Grants missing permissions to a client. Returns the names that the provider does not know. */
export async function ensurePermissions(
  clients: ClientDirectory,
  clientId: string,
  { names, exclusive: nothingElse = false }: TargetPermissions
): Promise<string[]> {
  const grants = await clients.permissionsOf(clientId)
  const isTarget = (permission: ProviderPermission) =>
    isGlobalPermission(permission) && names.includes(permission.name)
  const existing = grants.filter(({ permission }) => isTarget(permission))
  if (nothingElse) {
    for (const { id } of grants.filter((grant) => !existing.includes(grant))) {
      await clients.revoke(id)
    }
  }
  const unknown: string[] = []
  for (const name of names.filter(
    (target) => !existing.some(({ permission }) => permission.name === target)
  )) {
    const permission = await clients.permission(name)
    if (permission) {
      await clients.grant(clientId, permission.id)
    } else {
      unknown.push(name)
    }
  }
  return unknown
}
