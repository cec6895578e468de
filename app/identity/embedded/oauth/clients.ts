import { findClient, MASTER, type ClientAccount } from '#identity/embedded/accounts'
import { signInClient } from '#identity/embedded/sign_in/sign_in'
import { InvalidClient, UnauthorizedClient } from './oauth_failure.js'
import type { RequestSource } from '#kernel/origin'
import type { ClientCredentials } from './request.js'

/** Authenticates the client of a request with its secret. */
export async function requireClient(
  credentials: ClientCredentials | undefined,
  realm: string | undefined,
  source: RequestSource
): Promise<ClientAccount> {
  if (!credentials?.secret) {
    throw new InvalidClient()
  }
  return signInClient({ id: credentials.id, secret: credentials.secret, realm }, source)
}

/** The client of a request, if it names one. It has to authenticate unless it is public. */
export async function identifyClient(
  credentials: ClientCredentials | undefined,
  realm: string | undefined,
  source: RequestSource
): Promise<ClientAccount | undefined> {
  if (!credentials) {
    return undefined
  }
  if (credentials.secret !== undefined) {
    return requireClient(credentials, realm, source)
  }
  const client = await findClient(credentials.id, realm)
  if (!client?.active || client.authMethod !== 'none') {
    throw new InvalidClient()
  }
  return client
}

/** Whether a client may use a grant type. Without registered types it may use all. */
export function allowsGrantType({ grantTypes }: ClientAccount, type: string): boolean {
  return grantTypes === null || grantTypes.split(/[\s,]+/).includes(type)
}

/** Throws if a client may not use a grant type. */
export function requireGrantType(client: ClientAccount, type: string): void {
  if (!allowsGrantType(client, type)) {
    throw new UnauthorizedClient()
  }
}

/** Whether users of a realm may sign in through a client. Clients of the master realm serve all realms. */
export function servesRealm({ realmName, realmId }: ClientAccount, userRealmId: string): boolean {
  return realmName === MASTER || realmId === userRealmId
}
