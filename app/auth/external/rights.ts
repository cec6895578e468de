import { ANALYSIS_CLIENT_PERMISSIONS, NODE_CLIENT_PERMISSIONS } from '#auth/client_permissions'
import type { IdentityProvider } from '#auth/provider'

/** What the platform's own client does at the provider, in all realms. */
const OWN_USE = [
  ...['client_create', 'client_read', 'client_update', 'client_delete'],
  ...['client_permission_read', 'client_permission_create', 'client_permission_delete'],
  ...['permission_read', 'realm_read', 'user_read'],
  ...['session_read', 'user_permission_read', 'user_role_read', 'client_role_read'],
  'role_permission_read',
]

/** A provider lets nobody give what they do not hold themselves. */
const HANDED_ON = [...NODE_CLIENT_PERMISSIONS, ...ANALYSIS_CLIENT_PERMISSIONS]

/**
 * The rights that the platform's own client needs and lacks. A provider that does not have one of its own does not ask
 * for it.
 */
export async function missingRights(
  provider: Pick<IdentityProvider, 'introspect' | 'ownToken' | 'clients'>
): Promise<string[]> {
  const introspection = await provider.introspect(await provider.ownToken())
  const held = new Set(introspection?.permissions.map(({ name }) => name))
  const isAskedFor = await Promise.all(
    OWN_USE.map(async (name) => held.has(name) || (await mayExist(provider, name)))
  )
  return [...OWN_USE.filter((_, index) => isAskedFor[index]), ...HANDED_ON].filter(
    (name) => !held.has(name)
  )
}

async function mayExist({ clients }: Pick<IdentityProvider, 'clients'>, name: string) {
  try {
    return (await clients?.permission(name)) !== undefined
  } catch {
    return true
  }
}
