import vine from '@vinejs/vine'

import { body, type BodyOf } from '#kernel/body'
import { BadRequest } from '#kernel/failures'
import { issue } from '#kernel/issues'
import { shape, withoutZero } from '#kernel/shape'
import { readTimestamp } from '#query/sql/timestamp'
import { utcTime } from '#telemetry/utc_time'

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'
const MAX_ACTORS = 20
/** Whose reports can be searched for: other reporters are names that anybody may have. */
const REPORTERS = ['platform'] as const
const LIMIT = { default: 50, most: 100 }

const ACTORS = {
  pattern: new RegExp(`^${UUID}(,${UUID}){0,${MAX_ACTORS - 1}}$`, 'i'),
  description: `Up to ${MAX_ACTORS} ids, separated by commas`,
}
/** The milliseconds and the id of an event, so that whatever matches is a place. */
const CURSOR = {
  pattern: new RegExp(`^\\d{1,13}_${UUID}$`, 'i'),
  description: 'The `meta.next` of the previous page',
}
const COUNT = { pattern: /^[1-9]\d{0,5}$/, description: 'A whole number' }

const word = () => vine.string().minLength(1).maxLength(64).use(withoutZero()).optional()

/** The parameters of a search, as their texts. */
const parameters = body({
  actorId: vine.string().use(shape(ACTORS)).optional(),
  scope: word(),
  name: word(),
  refType: word(),
  refId: word(),
  reporter: vine.enum(REPORTERS).optional(),
  from: utcTime().maxLength(30).optional(),
  to: utcTime().maxLength(30).optional(),
  before: vine.string().use(shape(CURSOR)).optional(),
  limit: vine.string().use(shape(COUNT)).optional(),
})

const DESCRIPTIONS: Readonly<Record<keyof BodyOf<typeof parameters>, string>> = {
  actorId: `Who did it: up to ${MAX_ACTORS} ids, separated by commas`,
  scope: 'The scope of the events',
  name: 'What happened, such as `updated`',
  refType: 'The kind of the record, such as `node`',
  refId: 'The id of the record',
  reporter: '`platform`: what the platform recorded itself, not what callers reported',
  from: 'Events of this time and later',
  to: 'Events before this time',
  before: 'Continues a search: the `meta.next` of the page before',
  limit: `How many events, at most ${LIMIT.most}; the default is ${LIMIT.default}`,
}

/** The place of an event in the order of searches. */
export interface EventPlace {
  readonly createdAt: string
  readonly id: string
}

/** Which events to find: those that have all that is named. */
export interface EventSearch {
  readonly actorIds: readonly string[] | undefined
  readonly texts: Readonly<Partial<Record<'scope' | 'name' | 'refType' | 'refId', string>>>
  readonly reporter: (typeof REPORTERS)[number] | undefined
  readonly from: string | undefined
  readonly to: string | undefined
  readonly before: EventPlace | undefined
  readonly limit: number
}

/** The declared parameters of a search. */
export const SEARCH_PARAMETERS = Object.entries(
  parameters.jsonSchema().properties as Record<string, Record<string, unknown>>
).map(([name, schema]) => ({
  name,
  description: DESCRIPTIONS[name as keyof typeof DESCRIPTIONS],
  schema,
}))

/** Reads a search. An unknown parameter is rejected, since ignoring it would find more than was requested. */
export async function readSearch(sent: Readonly<Record<string, unknown>>): Promise<EventSearch> {
  const unknown = Object.keys(sent).filter((name) => !Object.hasOwn(DESCRIPTIONS, name))
  if (unknown.length > 0) {
    throw invalid(unknown, `Events cannot be searched by ${unknown.join(', ')}`)
  }
  const { actorId, reporter, from, to, before, limit, ...texts } = await parameters.validate(sent)
  return {
    actorIds: actorId?.split(','),
    texts,
    reporter,
    from: from && readTimestamp(from),
    to: to && readTimestamp(to),
    before: before === undefined ? undefined : placeOf(before),
    limit: Math.min(Number(limit ?? LIMIT.default), LIMIT.most),
  }
}

export const cursorAt = ({ createdAt, id }: EventPlace): string => `${Date.parse(createdAt)}_${id}`

function placeOf(cursor: string): EventPlace {
  const [milliseconds, id = ''] = cursor.split('_')
  return { createdAt: new Date(Number(milliseconds)).toISOString(), id }
}

const invalid = (path: readonly string[], message: string): BadRequest =>
  new BadRequest(message, { issues: [issue('value_invalid', path, message)] })
