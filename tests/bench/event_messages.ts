import { randomUUID } from 'node:crypto'

import { newMessage, serializeMessage } from '#bus/message'
import { COMMAND_QUEUES, commandRouting } from '#bus/names'

const RECORDS = ids(5_000)
const ACTORS = ids(200)
const REALMS = ids(20)
const ROUTING = commandRouting(COMMAND_QUEUES.telemetryEvent)

/** An event as the relay of the platform hands it in: an update of one of some thousand records, in one of twenty realms. */
export function eventMessage(number: number) {
  const refId = RECORDS[number % RECORDS.length]!
  const message = newMessage(ROUTING, 'create', {
    scope: 'entity',
    name: 'updated',
    refType: 'node',
    refId,
    realmId: REALMS[number % REALMS.length],
    actorType: 'user',
    actorId: ACTORS[number % ACTORS.length],
    actorName: 'somebody',
    requestPath: `/core/nodes/${refId}`,
    requestMethod: 'POST',
    requestIpAddress: '192.0.2.1',
    requestUserAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    data: { diff: { name: { next: `node ${number}`, previous: `node ${number - 1}` } } },
  })
  return { message, bytes: serializeMessage(message) }
}

function ids(count: number): string[] {
  return Array.from({ length: count }, () => randomUUID())
}
