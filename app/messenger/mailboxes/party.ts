import type { Actor } from '#kernel/actor'
import { PermissionDenied } from '#kernel/failures'
import { isUuid } from '#kernel/is_uuid'

export const PARTY_KINDS = ['user', 'robot', 'client'] as const

export type PartyKind = (typeof PARTY_KINDS)[number]

/** A sender or recipient. */
export interface Party {
  readonly type: PartyKind
  readonly id: string
}

/** The party that a caller acts as. */
export function partyOf({ kind, id }: Actor): Party {
  if (!isUuid(id)) {
    throw new PermissionDenied('Messages require an identity whose id is a UUID')
  }
  return { type: kind, id: id.toLowerCase() }
}

/** The key of a party. `join` returns a flat string; a template would keep both parts alive as a rope. */
export const keyOf = ({ type, id }: Party): string => [type, id].join(':')

/** Parses what `keyOf` returned. */
export function partyFromKey(key: string): Party {
  const type = PARTY_KINDS.find((kind) => key.startsWith(`${kind}:`))!
  return { type, id: key.slice(type.length + 1) }
}
