import { ANALYSIS_CLIENT_PERMISSIONS, NODE_CLIENT_PERMISSIONS } from '#auth/client_permissions'
import type { IdentityProvider } from '#auth/provider'

/** The permissions of the platform's own client, in all realms. */
const PLATFORM_RIGHTS = [
  ...['client_create', 'client_read', 'client_update', 'client_delete'],
  ...['client_permission_read', 'client_permission_create', 'client_permission_delete'],
  ...['permission_read', 'realm_read', 'user_read'],
  ...['session_read', 'user_permission_read', 'user_role_read', 'client_role_read'],
  'role_permission_read',
]

/** A provider only lets clients grant permissions that they have themselves. */
const DELEGATED_RIGHTS = [...NODE_CLIENT_PERMISSIONS, ...ANALYSIS_CLIENT_PERMISSIONS]

/**
 * The permissions that the platform's own client lacks. Permissions that the provider does not define are not needed.
 */
export async function missingRights(
  provider: Pick<IdentityProvider, 'introspect' | 'ownToken' | 'clients'>
): Promise<string[]> {
  const introspection = await provider.introspect(await provider.ownToken())
  const granted = new Set(introspection?.permissions.map(({ name }) => name))
  const isRelevant = await Promise.all(
    PLATFORM_RIGHTS.map(async (name) => granted.has(name) || (await mayExist(provider, name)))
  )
  return [...PLATFORM_RIGHTS.filter((_, index) => isRelevant[index]), ...DELEGATED_RIGHTS].filter(
    (name) => !granted.has(name)
  )
}

async function mayExist({ clients }: Pick<IdentityProvider, 'clients'>, name: string) {
  try {
    return (await clients?.permission(name)) !== undefined
  } catch {
    return true
  }
}
