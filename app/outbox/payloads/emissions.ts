import type { ChangeContent } from '#outbox/entry'
import { fullEventName } from './event_name.js'

export interface Emission {
  readonly namespace: string
  readonly room: string | string[]
  readonly event: string
  readonly payload: unknown
}

/**
 * What sockets are told of a change: those who follow all records of the kind, and those who follow this one, in the
 * namespace of everybody and in those of the realms. Members of a realm who came to the former are there in rooms of their realm. A client
 * that is in two rooms is told twice and knows them apart by the name of the room.
 */
export function emissionsOf(content: ChangeContent): Emission[] {
  const { kind, change, id, realms, data } = content
  const event = fullEventName(kind, change)
  const namespaces = ['/resources', ...realms.map((realm) => `/resources/${realm}`)]
  return namespaces.flatMap((namespace) => {
    return [kind, `${kind}/${id}`].map((name) => {
      const meta = { refType: kind, refId: id, event: change, namespace, roomName: name }
      const ofRealms = realms.map((realm) => `${realm}:${name}`)
      const room = namespace === '/resources' ? [name, ...ofRealms] : name
      return { namespace, room, event, payload: { data, meta } }
    })
  })
}
