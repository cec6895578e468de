import {
  MASTER,
  findClient,
  findRealm,
  findUser,
  type ClientAccount,
  type Realm,
  type UserAccount,
} from '#identity/embedded/accounts'
import { isSecret, isUnguessable } from '#identity/embedded/client_secrets'
import { identityPool } from '#identity/embedded/database'
import { InvalidClient, InvalidCredentials } from '#identity/embedded/oauth/oauth_failure'
import type { Priority } from '#identity/embedded/fair_queue'
import { hashingQueue, hashPassword, isOutdated, isPassword } from '#identity/embedded/passwords'
import type { RequestSource } from '#kernel/origin'
import { addFailedClient, recordSignIn } from '#audit/record_security_event'
import type { AuditedAccount } from '#audit/security_audit'
import { networkOf } from './network.js'
import { SignInAttempt } from './sign_in_limit.js'

/**
 * Authenticates a user. Who signs in from where the account was used before waits for no stranger. Neither the response
 * nor its timing reveals whether the name, the password or the account was at fault.
 */
export async function signInUser(
  { realm, name, password }: { realm: Realm | undefined; name: string; password: string },
  source: RequestSource
): Promise<UserAccount> {
  const user = realm && (await findUser(realm.id, name))
  const account = user ? `user ${user.id}` : `user ${realm?.id} ${name.toLowerCase()}`
  const attempt = new SignInAttempt(account, source.address)
  await attempt.requireOpen()
  const priority = attempt.isKnown
    ? { key: account, isPreferred: true }
    : { key: networkOf(source.address), isPreferred: false }
  // Failures are counted within the queue, so that concurrent guesses gain nothing over sequential ones.
  const hashing = await hashingQueue()
  const signedIn = await hashing.run(async () => {
    await attempt.requireOpen()
    const isRight = await isPassword(password, user?.passwordHash ?? null)
    if (user?.active && isRight) {
      return user
    }
    const isLast = await attempt.failed()
    const type = isLast ? 'signInsBlocked' : 'signInFailed'
    await recordSignIn(type, user ?? (await nobody('user', realm)), source)
    throw new InvalidCredentials()
  }, priority)
  await attempt.requireOpen()
  await attempt.succeeded()
  await renewHash(signedIn, password, priority)
  return signedIn
}

/** Authenticates a client by id or name and secret. */
export async function signInClient(
  { id, secret, realm }: { id: string; secret: string; realm: string | undefined },
  source: RequestSource
): Promise<ClientAccount> {
  const found = await findClient(id, realm)
  const client = found && isRegistryClient(found) ? undefined : found
  const attempt = new SignInAttempt(
    client ? `client ${client.id}` : `client ${realm} ${id.toLowerCase()}`,
    source.address,
    { countsByAddress: isUnguessable(client?.sealedSecret ?? null) }
  )
  const failed = await attempt.compareExclusively(async () => {
    const isRight = isSecret(secret, client?.secretDigest ?? null)
    return !client?.active || client.authMethod !== 'secret' || !isRight
  })
  if (failed) {
    await recordFailedClient(client, failed, source)
    throw new InvalidClient()
  }
  await attempt.succeeded()
  return client!
}

/** Registries know the secret of this client for their webhooks; it cannot log in. */
const isRegistryClient = ({ name, realmName }: ClientAccount): boolean =>
  name.toLowerCase() === 'registry' && realmName === MASTER

async function recordFailedClient(
  client: ClientAccount | undefined,
  { isLast }: { isLast: boolean },
  source: RequestSource
): Promise<void> {
  if (client && isLast) {
    return recordSignIn('signInsBlocked', client, source)
  }
  const account = client ?? (await nobody('client'))
  await addFailedClient(account, source, networkOf(source.address))
}

/** An unknown account. Without a known realm it belongs to the master realm, whose members watch the whole platform. */
async function nobody(kind: 'user' | 'client', realm?: Realm): Promise<AuditedAccount> {
  const { id: realmId } = realm ?? (await findRealm(MASTER)) ?? { id: null }
  return { kind, id: null, realmId }
}

async function renewHash(
  { id, passwordHash }: UserAccount,
  password: string,
  priority: Priority
): Promise<void> {
  if (await isOutdated(passwordHash!)) {
    await identityPool().query('update users set password = $2 where id = $1 and password = $3', [
      id,
      await hashPassword(password, priority),
      passwordHash,
    ])
  }
}
