import { isUuid } from '#kernel/is_uuid'
import { BadRequest } from '#kernel/failures'
import type { Party, PartyKind } from '#messenger/mailboxes/party'

/** The room of a party's sockets. */
export const roomOf = ({ type, id }: Party): string => `${type}-connection:${id}`

/** The room of the sockets that subscribe to the presence of a party. */
export const subscriptionRoomOf = ({ type, id }: Party): string =>
  `${type}-connection-subscription:${id}`

/** The party that a presence request names. */
export function requireParty(type: PartyKind, id: unknown): Party {
  if (typeof id !== 'string' || !isUuid(id)) {
    throw new BadRequest(`The id of a ${type} must be a UUID`)
  }
  return { type, id: id.toLowerCase() }
}
