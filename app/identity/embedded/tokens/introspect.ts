import { identityPool } from '#identity/embedded/database'
import { grantedPermissionIds } from '#identity/embedded/granted_permissions'
import { clock } from '#kernel/clock'
import type { Claims } from './claims.js'
import { verify, verifyExpired } from './verify.js'

/** A permission in an introspection response. */
interface GrantedPermission {
  readonly name: string
  readonly client_id: string | null
  readonly realm_id: string | null
}

/** The account of an active token. */
export interface ActiveToken {
  readonly claims: Claims
  readonly name: string
  readonly displayName: string | null
  readonly permissions: readonly GrantedPermission[]
}

type Row = Omit<ActiveToken, 'claims'>

const IS_ACTIVE = {
  /** The session is active, is newer than the last password change, and its client is enabled. */
  user: `exists (
    select 1 from identity_token_sessions s left join clients c on c.id = s.client_id
    where s.id = $5 and s.expires_at > $6 and s.user_id = a.id and c.active is not false
      and (a.sessions_since is null or s.created_at >= a.sessions_since))`,
  /** The secret was not replaced and the client was not deactivated since. */
  client: 'a.token_generation = $5',
} as const

/** One query for everything that can invalidate a token, and for the permissions of its account. */
const STATEMENTS = { user: statement('user'), client: statement('client') } as const

/** Introspects an access token: its signature, expiry and revocation, and whether its account exists and is enabled. */
export async function introspect(token: string): Promise<ActiveToken | undefined> {
  return activeTokenOf(await verify(token, 'access_token'))
}

/** The same for an expired token: active while its session lasts, or for a client. */
export async function introspectExpired(token: string): Promise<ActiveToken | undefined> {
  return activeTokenOf(await verifyExpired(token, 'access_token'))
}

async function activeTokenOf(claims: Claims | undefined): Promise<ActiveToken | undefined> {
  if (!claims || !(claims.sub_kind in STATEMENTS)) {
    return undefined
  }
  const { sub, sub_kind: kind, realm_id: realmId, realm_name: realmName, jti } = claims
  const parameters = { user: [claims.sid, new Date(clock.now())], client: [claims.generation ?? 0] }
  const { rows } = await identityPool().query<Row>({
    name: `introspect-${kind}`,
    text: STATEMENTS[kind],
    values: [sub, realmId, realmName, jti, ...parameters[kind]],
  })
  return rows[0] && { claims, ...rows[0] }
}

function statement(kind: 'user' | 'client'): string {
  return `
    select a.name, a.display_name as "displayName", coalesce((
        select json_agg(json_build_object(
          'name', p.name, 'client_id', p.client_id, 'realm_id', p.realm_id) order by p.name)
        from permissions p where p.id in (${grantedPermissionIds(kind, 'a.id')})
      ), '[]') as permissions
    from ${kind}s a join realms r on r.id = a.realm_id
    where a.id = $1 and a.active and r.id = $2 and r.name = $3
      and not exists (select 1 from identity_revoked_tokens where id = $4)
      and ${IS_ACTIVE[kind]}`
}
