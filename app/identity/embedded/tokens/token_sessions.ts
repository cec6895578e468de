import type pg from 'pg'

import { accessChangesDelivered } from '#identity/embedded/access_changes'
import { identityPool } from '#identity/embedded/database'
import { REFRESH_TOKEN_SECONDS, REPLACED_TOKEN_SECONDS } from './lifetimes.js'
import { clock } from '#kernel/clock'
import type { RequestSource } from '#kernel/origin'
import type { Claims } from './claims.js'

/**
 * What the tokens of one sign-in have in common: one refresh token is good at a time, and when the session goes, so do
 * all of its tokens.
 */
export interface TokenSession {
  readonly id: string
  readonly userId: string
  /** The client the user signed in through. */
  readonly clientId: string | null
  readonly scope: string
  /** The refresh token that is good now. */
  readonly refreshId: string
}

const COLUMNS = `id, user_id as "userId", client_id as "clientId", scope, refresh_id as "refreshId"`

const until = () => new Date(clock.now() + REFRESH_TOKEN_SECONDS * 1000)

/** A session that lives: of a user who is active, and not from before the password was changed. */
const IS_ACTIVE = `s.expires_at > $2 and exists (select 1 from users u where u.id = s.user_id and u.active
  and (u.sessions_since is null or s.created_at >= u.sessions_since))`

/** Where a session began: the address and the browser or program. */
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
 * Replaces the refresh token of a session. The one that was replaced a moment ago gets the session as it is now. Undefined
 * for any other: it was used before.
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

/** Ends a session. Answers whether there was one to end. */
export async function endSession(id: string): Promise<boolean> {
  const text = 'delete from identity_token_sessions where id = $1'
  const { rowCount } = await identityPool().query(text, [id])
  await accessChangesDelivered()
  return rowCount === 1
}
