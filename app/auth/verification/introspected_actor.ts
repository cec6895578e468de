import type { Actor } from '#kernel/actor'
import type { Introspection } from '#auth/provider'

import type { Claims } from './signed_tokens.js'

const NEVER = Number.POSITIVE_INFINITY
const SHARED_CLAIMS = ['sub', 'exp', 'sub_kind', 'realm_id', 'client_id'] as const

/** Whether an introspection describes this token and not another one. */
export function describesToken(introspection: Introspection, claims: Claims): boolean {
  return SHARED_CLAIMS.every((name) => {
    const [introspected, signed] = [introspection[name] ?? undefined, claims[name] ?? undefined]
    const isComparable =
      introspected !== undefined && signed !== undefined && introspected !== NEVER
    return !isComparable || introspected === signed
  })
}

/** The actor of an introspection. A token without an expiry lasts as long as the provider accepts it. */
export function actorOf(introspection: Introspection, claims: Claims | undefined): Actor {
  return {
    kind: introspection.sub_kind,
    id: introspection.sub,
    name: introspection.sub_name,
    realmId: introspection.realm_id,
    realmName: introspection.realm_name,
    clientId: introspection.client_id,
    permissions: new Set(introspection.permissions.map(({ name }) => name)),
    expiresAt: Math.min(introspection.exp, claims?.exp ?? NEVER),
  }
}
