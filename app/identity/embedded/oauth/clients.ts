import { findClient, MASTER, type ClientAccount } from '#identity/embedded/accounts'
import { signInClient } from '#identity/embedded/sign_in/sign_in'
import { InvalidClient, UnauthorizedClient } from './oauth_failure.js'
import type { RequestSource } from '#kernel/origin'
import type { ClientCredentials } from './request.js'

/** The client that sends a request, which has to prove that with its secret. */
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

/**
 * The client that sends a request, where one is named: with its secret, unless it is registered as one that can keep none.
 */
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

/** Whether a client is registered for a kind of grant; where none is named, for all. */
export function allowsGrantType({ grantTypes }: ClientAccount, type: string): boolean {
  return grantTypes === null || grantTypes.split(/[\s,]+/).includes(type)
}

/** Throws where a client is registered for other kinds of grant only. */
export function requireGrantType(client: ClientAccount, type: string): void {
  if (!allowsGrantType(client, type)) {
    throw new UnauthorizedClient()
  }
}

/** Users of any realm sign in through a client of the master realm, through others only those of the client's own. */
export function servesRealm({ realmName, realmId }: ClientAccount, userRealmId: string): boolean {
  return realmName === MASTER || realmId === userRealmId
}
