import type { Introspection } from '#auth/provider'
import { isAccessToken } from '#auth/verification/token_kind'

/** The names of claims. A name may be a path into objects: `realm_access.roles`. */
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
 * Converts claims; undefined if they are unusable. A subject without a kind is a client if the token was issued to
 * itself, otherwise a user.
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
 * Accepts a list of names, a list of records with a name, or names in one string separated by blanks or commas.
 * Permissions of a realm or a client are ignored: users who manage a realm can define one with the name of a platform
 * permission.
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
