import { isIP } from 'node:net'

import vine from '@vinejs/vine'

import { body } from '#kernel/body'
import { shape } from '#kernel/shape'

const SCOPES = ['entity', 'builder', 'synchronizer'] as const
const UTC_TIME = {
  pattern: /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,7})?)?Z$/,
  says: 'A time is written in UTC, as in 2026-01-31T12:00:00Z',
}

const uuid = () => vine.string().uuid().nullable().optional()
const word = (most: number) => vine.string().minLength(3).maxLength(most).nullable().optional()
const text = () => vine.string().nullable().optional()

/**
 * What an audit event is made of, whichever way it comes in.
 */
export const eventBody = body({
  scope: vine.enum(SCOPES),
  name: vine.string().minLength(3).maxLength(64),
  refType: vine.string().minLength(3).maxLength(64),
  refId: uuid(),
  data: vine.object({}).allowUnknownProperties().nullable().optional(),
  expiring: vine.boolean({ strict: true }).optional(),
  requestPath: text(),
  requestMethod: word(10),
  requestIpAddress: text(),
  requestUserAgent: text(),
  actorType: word(64),
  actorId: uuid(),
  actorName: text(),
  realmId: uuid(),
  expiresAt: vine.string().maxLength(28).use(shape(UTC_TIME)).nullable().optional(),
})

export type EventBody = Awaited<ReturnType<typeof eventBody.validate>>

/** What says where an event came from is cut to what there is room for; it must not cost the event. */
export function fitted(event: EventBody): EventBody {
  const { requestPath, requestIpAddress, requestUserAgent, actorName } = event
  return {
    ...event,
    requestPath: requestPath?.slice(0, 256),
    requestIpAddress: requestIpAddress && isIP(requestIpAddress) ? requestIpAddress : null,
    requestUserAgent: requestUserAgent?.slice(0, 512),
    actorName: actorName?.slice(0, 64),
  }
}
