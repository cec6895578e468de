import vine from '@vinejs/vine'

import { shape } from '#kernel/shape'
import { readTimestamp } from '#query/sql/timestamp'

const DAY = '[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])'
const TIME = '([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?'

const UTC_TIME = {
  pattern: new RegExp(`^${DAY}T${TIME}Z$`),
  description: 'A time is written in UTC, as in 2026-01-31T12:00:00Z',
}

/** A pattern cannot check the days of a month. */
const existing = vine.createRule(function date(value, _options: undefined, field) {
  const isShaped = typeof value === 'string' && UTC_TIME.pattern.test(value)
  if (isShaped && readTimestamp(value) === undefined) {
    field.report('There is no such day', 'date', field)
  }
})

/** A valid time in UTC. */
export const utcTime = () => vine.string().use(shape(UTC_TIME)).use(existing())
