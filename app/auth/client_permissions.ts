import type { ClientDirectory, ProviderPermission } from './provider.js'

/** What a node's client may do, and nothing else. */
export const NODE_CLIENT_PERMISSIONS = ['analysis_update'] as const

/** What the client of an analysis may do from the start; more can be given to it. */
export const ANALYSIS_CLIENT_PERMISSIONS = [
  'analysis_self_storage_use',
  'analysis_self_message_broker_use',
] as const

/** Whether a permission is the one its name stands for: a realm or a client can make another one of the same name. */
export function isGlobalPermission({ realmId, clientId }: ProviderPermission): boolean {
  return (realmId ?? clientId ?? null) === null
}

/** What a client should be allowed to do. */
export interface TargetPermissions {
  readonly names: readonly string[]
  /** Whether everything else is taken away. */
  readonly exclusive?: boolean
}

/**
 * Gives a client the permissions it should have; does nothing where it has them. Answers the names the provider does not
 * know, which cannot be given.
 */
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
    (wanted) => !existing.some(({ permission }) => permission.name === wanted)
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
