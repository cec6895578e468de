import type pg from 'pg'

import { accessChangesDelivered } from '#identity/embedded/access_changes'
import { identityPool } from '#identity/embedded/database'
import { identitySettings } from '#identity/identity_settings'
import { REPLACED_TOKEN_SECONDS } from './lifetimes.js'
import { clock } from '#kernel/clock'
import type { RequestSource } from '#kernel/origin'
import type { Claims } from './claims.js'

/** The tokens of one login. A single refresh token is valid at a time. All tokens end with the session. */
export interface TokenSession {
  readonly id: string
  readonly userId: string
  /** The client that the user signed in through. */
  readonly clientId: string | null
  readonly scope: string
  /** The id of the current refresh token. */
  readonly refreshId: string
}

const COLUMNS = `id, user_id as "userId", client_id as "clientId", scope, refresh_id as "refreshId"`

const until = () => new Date(clock.now() + identitySettings().refreshTokenSeconds * 1000)

/** An active session: of an enabled user, and newer than the last password change. */
const IS_ACTIVE = `s.expires_at > $2 and exists (select 1 from users u where u.id = s.user_id and u.active
  and (u.sessions_since is null or s.created_at >= u.sessions_since))`

/** The origin of a session: the address and the browser or program. */
export interface SessionOrigin {
  readonly address: string | null
  readonly userAgent: string | null
}

const MAX_USER_AGENT_LENGTH = 512

export const sessionOrigin = ({ address, userAgent }: RequestSource): SessionOrigin => ({
  address,
  userAgent: userAgent?.slice(0, MAX_USER_AGENT_LENGTH) ?? null,
})

export async function startSession(
  attributes: Pick<TokenSession, 'userId' | 'clientId' | 'scope'> & { id?: string },
  { address, userAgent }: SessionOrigin,
  runner: pg.Pool | pg.ClientBase = identityPool()
): Promise<TokenSession> {
  const session = { id: clock.uuid(), ...attributes, refreshId: clock.uuid() }
  await runner.query(
    `insert into identity_token_sessions
       (id, user_id, client_id, scope, refresh_id, created_at, expires_at, address, user_agent)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      session.id,
      session.userId,
      session.clientId,
      session.scope,
      session.refreshId,
      new Date(clock.now()),
      until(),
      address,
      userAgent,
    ]
  )
  return session
}

export async function readSession(id: string): Promise<TokenSession | undefined> {
  const { rows } = await identityPool().query<TokenSession>(
    `select ${COLUMNS} from identity_token_sessions s where id = $1 and ${IS_ACTIVE}`,
    [id, new Date(clock.now())]
  )
  return rows[0]
}

/**
 * Rotates the refresh token of a session. A token that was replaced moments ago returns the current session. Undefined
 * for any other, which was used before.
 */
export async function renewSession({ sid, jti }: Claims): Promise<TokenSession | undefined> {
  const now = clock.now()
  const { rows } = await identityPool().query<TokenSession>(
    `update identity_token_sessions s set
       refresh_id = case when refresh_id = $3 then $4 else refresh_id end,
       replaced_refresh_id = case when refresh_id = $3 then refresh_id else replaced_refresh_id end,
       replaced_at = case when refresh_id = $3 then $2 else replaced_at end,
       used_at = $2, expires_at = $5
     where id = $1 and (refresh_id = $3 or (replaced_refresh_id = $3 and replaced_at > $6))
       and ${IS_ACTIVE}
     returning ${COLUMNS}`,
    [sid, new Date(now), jti, clock.uuid(), until(), new Date(now - REPLACED_TOKEN_SECONDS * 1000)]
  )
  return rows[0]
}

/** Ends a session. Returns whether it existed. */
export async function endSession(id: string): Promise<boolean> {
  const text = 'delete from identity_token_sessions where id = $1'
  const { rowCount } = await identityPool().query(text, [id])
  await accessChangesDelivered()
  return rowCount === 1
}
