import { identityPool } from '#identity/embedded/database'
import { accessChangesDelivered } from '#identity/embedded/access_changes'
import type { SessionOrigin } from '#identity/embedded/tokens/token_sessions'
import { clock } from '#kernel/clock'

/** A session of a user: of an application, or of a browser at the provider itself. */
export interface OpenSession extends SessionOrigin {
  readonly id: string
  /** The application; null for a browser or an unknown application. */
  readonly client: string | null
  readonly isBrowser: boolean
  readonly since: Date
  /** When its tokens were last renewed, if ever. */
  readonly usedAt: Date | null
}

const MAX_SHOWN = 100

/** The active sessions of a user, newest first. */
export async function openSessions(userId: string): Promise<OpenSession[]> {
  const { rows } = await identityPool().query<OpenSession>(
    `select * from (
       select s.id::text, coalesce(c.display_name, c.name) as client, false as "isBrowser",
         s.created_at as since, s.used_at as "usedAt", s.address, s.user_agent as "userAgent"
       from identity_token_sessions s left join clients c on c.id = s.client_id
       where s.user_id = $1 and s.expires_at > $2
         and s.created_at >= (select coalesce(sessions_since, '-infinity') from users where id = $1)
       union all
       select s.id, null, true, s.created_at, null, s.address, s.user_agent
       from identity_login_sessions s
       where s.user_id = $1 and s.expires_at > $2
         and s.created_at >= (select coalesce(sessions_since, '-infinity') from users where id = $1)
     ) open order by since desc, id limit ${MAX_SHOWN}`,
    [userId, new Date(clock.now())]
  )
  return rows
}

/** Ends a session if it belongs to the user. */
export async function endSessionOf(userId: string, id: string): Promise<void> {
  await deleteSessions('user_id = $1 and id::text = $2', [userId, id])
}

/** Ends all sessions of a user except the given browser login. */
export async function endOtherSessions(userId: string, loginId: string): Promise<void> {
  await deleteSessions('user_id = $1 and id::text <> $2', [userId, loginId])
}

async function deleteSessions(where: string, values: string[]): Promise<void> {
  for (const table of ['identity_token_sessions', 'identity_login_sessions']) {
    await identityPool().query(`delete from ${table} where ${where}`, values)
  }
  await accessChangesDelivered()
}
