import { hash } from 'node:crypto'

import { readUser, type UserAccount } from '#identity/embedded/accounts'
import { identityPool } from '#identity/embedded/database'
import { LOGIN_SESSION_MS } from '#identity/embedded/tokens/lifetimes'
import { sessionOrigin } from '#identity/embedded/tokens/token_sessions'
import { clock } from '#kernel/clock'
import type { RequestSource } from '#kernel/origin'

/** The login of a user with a browser. */
export interface Login {
  readonly id: string
  readonly user: UserAccount
  readonly signedInAt: Date
}

/** Only a digest of the cookie is stored. */
const idOf = (value: string): string => hash('sha256', value)

/** Stores a login under the value of the cookie. */
export async function startLogin(
  value: string,
  user: UserAccount,
  source: RequestSource
): Promise<Login> {
  const login = { id: idOf(value), user, signedInAt: new Date(clock.now()) }
  const { address, userAgent } = sessionOrigin(source)
  const expiresAt = new Date(clock.now() + LOGIN_SESSION_MS)
  await identityPool().query(
    `insert into identity_login_sessions (id, user_id, created_at, expires_at, address, user_agent)
     values ($1, $2, $3, $4, $5, $6)`,
    [login.id, user.id, login.signedInAt, expiresAt, address, userAgent]
  )
  return login
}

export async function readLogin(value: string): Promise<Login | undefined> {
  const id = idOf(value)
  const { rows } = await identityPool().query<{ user_id: string; created_at: Date }>(
    `select s.user_id, s.created_at from identity_login_sessions s join users u on u.id = s.user_id
     where s.id = $1 and s.expires_at > $2 and u.active
       and (u.sessions_since is null or s.created_at >= u.sessions_since)`,
    [id, new Date(clock.now())]
  )
  const user = rows[0] && (await readUser(rows[0].user_id))
  return user && { id, user, signedInAt: rows[0]!.created_at }
}

export async function endLogin(value: string): Promise<void> {
  await identityPool().query('delete from identity_login_sessions where id = $1', [idOf(value)])
}
