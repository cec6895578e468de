import { isUuid } from '#kernel/is_uuid'
import { BadRequest } from '#kernel/failures'
import type { Party, PartyKind } from '#messenger/mailboxes/party'

/** Where the sockets of a party are. */
export const roomOf = ({ type, id }: Party): string => `${type}-connection:${id}`

/** Where those are who want to know whether a party is connected. */
export const subscriptionRoomOf = ({ type, id }: Party): string =>
  `${type}-connection-subscription:${id}`

/** The party that a request about one kind names. */
export function requireParty(type: PartyKind, id: unknown): Party {
  if (typeof id !== 'string' || !isUuid(id)) {
    throw new BadRequest(`The id of a ${type} has to be a UUID`)
  }
  return { type, id: id.toLowerCase() }
}
