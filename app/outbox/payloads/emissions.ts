import type { ChangeContent } from '#outbox/entry'
import { fullEventName } from './event_name.js'

export interface Emission {
  readonly namespace: string
  readonly room: string | string[]
  readonly event: string
  readonly payload: unknown
}

/**
 * The socket events of a change: to the rooms of its kind and of its record, in the global namespace and in those of
 * its realms. Members of a realm in the global namespace join rooms prefixed with their realm. A client in two rooms
 * receives the event twice and tells them apart by `roomName`.
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
