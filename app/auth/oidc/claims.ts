import type { Introspection } from '#auth/provider'
import { isAccessToken } from '#auth/verification/token_kind'

/** How a provider names what the platform wants to know; a name may lead into objects: `realm_access.roles`. */
export interface ClaimNames {
  readonly realmId: string
  readonly realmName: string
  readonly kind: string
  readonly permissions: string
}

type Claims = Readonly<Record<string, unknown>>

const OWNER_KEYS = ['realm_id', 'realmId', 'client_id', 'clientId']
const KINDS = ['user', 'client', 'robot'] as const

/**
 * What claims say, in the platform's words; undefined where they are of no use to it. A subject that is nowhere said to be
 * something else is a client where it is the client the token was made for, else a user.
 */
export function introspectionOf(claims: Claims, names: ClaimNames): Introspection | undefined {
  const sub = text(claims.sub)
  const kind = kindOf(claims, names)
  if (sub === null || !kind || !isAccessToken(claims)) {
    return undefined
  }
  return {
    active: true,
    sub,
    sub_kind: kind,
    sub_name: firstText(claims, ['sub_name', 'name', 'preferred_username', 'username']),
    realm_id: text(claimAt(claims, names.realmId)),
    realm_name: text(claimAt(claims, names.realmName)),
    client_id: text(claims.client_id),
    scope: text(claims.scope) ?? '',
    permissions: permissionsIn(claimAt(claims, names.permissions)),
    exp: typeof claims.exp === 'number' ? claims.exp : Number.POSITIVE_INFINITY,
  }
}

function kindOf(claims: Claims, { kind }: ClaimNames): Introspection['sub_kind'] | undefined {
  const claimed = claimAt(claims, kind) ?? undefined
  if (claimed === undefined) {
    return (claims.client_id ?? claims.azp) === claims.sub ? 'client' : 'user'
  }
  return KINDS.find((candidate) => candidate === claimed)
}

/**
 * A list of names or of records with a name, or names in one text, with blanks or commas in between. Every user who manages
 * a realm can make a permission there and name it like one of ours: what belongs to a realm or a client does not count.
 */
function permissionsIn(claim: unknown): { name: string }[] {
  const entries = typeof claim === 'string' ? claim.split(/[\s,]+/) : claim
  return (Array.isArray(entries) ? entries : [])
    .filter((entry) => !OWNER_KEYS.some((key) => (entry?.[key] ?? null) !== null))
    .map((entry) => text(entry) ?? text(entry?.name))
    .filter((name) => name !== null)
    .map((name) => ({ name }))
}

function claimAt(claims: Claims, path: string): unknown {
  return Object.hasOwn(claims, path)
    ? claims[path]
    : path.split('.').reduce<unknown>(memberOf, claims)
}

function memberOf(value: unknown, key: string): unknown {
  const isThere = typeof value === 'object' && value !== null && Object.hasOwn(value, key)
  return isThere ? (value as Record<string, unknown>)[key] : undefined
}

function firstText(claims: Claims, names: readonly string[]): string | null {
  return names.map((name) => text(claims[name])).find((value) => value !== null) ?? null
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}
