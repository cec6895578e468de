import type { Actor } from '#kernel/actor'
import { PermissionDenied } from '#kernel/failures'
import { isUuid } from '#kernel/is_uuid'

export const PARTY_KINDS = ['user', 'robot', 'client'] as const

export type PartyKind = (typeof PARTY_KINDS)[number]

/** One that sends and receives. */
export interface Party {
  readonly type: PartyKind
  readonly id: string
}

/** Who a caller is to others. */
export function partyOf({ kind, id }: Actor): Party {
  if (!isUuid(id)) {
    throw new PermissionDenied('Messages are for identities whose id is a UUID, and yours is none')
  }
  return { type: kind, id: id.toLowerCase() }
}

/** One text for one party. Joined it is kept as one, which a template would keep as two that are to be put together. */
export const keyOf = ({ type, id }: Party): string => [type, id].join(':')

/** The party that `keyOf` wrote. */
export function partyFromKey(key: string): Party {
  const type = PARTY_KINDS.find((kind) => key.startsWith(`${kind}:`))!
  return { type, id: key.slice(type.length + 1) }
}
