import vine from '@vinejs/vine'
import type { DateTime } from 'luxon'

import { requires, requiresAny } from '#kernel/access'
import { body, type BodyOf } from '#kernel/body'
import { withoutZero } from '#kernel/shape'
import { column } from '#records/column'
import { defineKind } from '#records/kind'
import { RecordModel } from '#records/model'
import type { Row } from '#records/row'
import { utcTime } from '#telemetry/utc_time'

const SCOPES = ['entity', 'builder', 'synchronizer'] as const

const name = () => vine.string().minLength(3).maxLength(64).use(withoutZero())
const word = (most: number) =>
  vine.string().minLength(3).maxLength(most).use(withoutZero()).nullable().optional()
const uuid = () => vine.string().uuid().nullable().optional()
const text = () => vine.string().nullable().optional()

/** The maximum size of the body of an event, and of the data of one from the bus. */
export const MOST_EVENT_BYTES = 64 * 1024

/**
 * The fields of an event, from the API or the bus. Long values are truncated rather than rejected; see `truncated`.
 */
export const createEvent = body({
  refType: name(),
  scope: vine.enum(SCOPES),
  name: name(),
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
  expiresAt: utcTime().maxLength(28).nullable().optional(),
})

export type EventBody = BodyOf<typeof createEvent>

/** What happened to which record, and who did it. Events are only added and removed, never changed. */
export class Event extends RecordModel {
  static override connection = 'telemetry'
  static override table = 'events'

  @column.uuid() declare id: string
  @column.oneOf(SCOPES) declare scope: (typeof SCOPES)[number]
  @column.text() declare name: string
  @column.text() declare refType: string
  @column.text({ nullable: true }) declare refId: string | null
  /** As it was written: older events keep the key order they had. */
  @column.jsonText({ nullable: true }) declare data: string | null
  @column.boolean() declare expiring: boolean
  @column.text({ nullable: true }) declare requestPath: string | null
  @column.text({ nullable: true }) declare requestMethod: string | null
  @column.text({ nullable: true }) declare requestIpAddress: string | null
  @column.text({ nullable: true }) declare requestUserAgent: string | null
  @column.text({ nullable: true }) declare actorType: string | null
  @column.uuid({ nullable: true }) declare actorId: string | null
  @column.text({ nullable: true }) declare actorName: string | null
  @column.uuid({ nullable: true }) declare realmId: string | null
  @column.timestamp({ nullable: true }) declare expiresAt: DateTime | null
  @column.timestamp() declare createdAt: DateTime
  @column.timestamp() declare updatedAt: DateTime
  /** Who reported the event, as the platform records it; null for events from before this was recorded. */
  @column.jsonText({ nullable: true }) declare reportedBy: string | null
}

export type EventRow = Row<typeof Event>

export const event = defineKind(Event, {
  name: 'event',
  collection: '/events',
  create: createEvent,
  permissionFirst: true,
  maxBodyBytes: MOST_EVENT_BYTES,
  choosesFields: false,
  filters: ['scope', 'name', 'refType', 'refId', 'realmId'],
  sorts: ['createdAt'],
  defaultSort: ['createdAt', 'DESC'],
  indexes: [
    ['id'],
    ['scope'],
    ['name', 'scope'],
    ['refType', 'refId'],
    ['refId'],
    ['realmId'],
    ['createdAt'],
  ],
  realm: 'realmId',
  totalsBy: ['scope', 'refType'],
  audit: { isRecorded: false },
  notAsSent: ['data'],
  access: {
    read: requiresAny('event_read', 'event_delete'),
    create: requires('event_create'),
    remove: requires('event_delete'),
  },
})
