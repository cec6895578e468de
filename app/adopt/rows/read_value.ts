import { DateTime } from 'luxon'

import { isUuid } from '#kernel/is_uuid'
import type { Value } from '#adopt/transfer'
import type { ValueType } from './table_shape.js'

/** What a text says cannot be a value of its column. */
export class Unreadable {
  constructor(readonly reason: string) {}
}

const TIME = /^\d{4}-[01]\d-[0-3]\d[ T][0-2]\d:[0-5]\d:\d\d(?:\.\d+)?(?:Z|[+-]00(?::?00)?)?$/
const SAYS_ZONE = /(?:Z|[+-]00(?::?00)?)$/
const WHOLE = /^-?\d+$/
const BOOLEANS: Readonly<Record<string, boolean>> = {
  't': true,
  'true': true,
  '1': true,
  '\u0001': true,
  'f': false,
  'false': false,
  '0': false,
  '\0': false,
}

/** A value as a database writes it, as both sides have it. */
export function readValue(type: ValueType, text: string, zone = 'UTC'): Value | Unreadable {
  switch (type) {
    case 'uuid':
      return isUuid(text) ? text.toLowerCase() : new Unreadable('is no id')
    case 'boolean':
      return BOOLEANS[text] ?? new Unreadable('is neither true nor false')
    case 'integer':
      return WHOLE.test(text) && Math.abs(Number(text)) < 2 ** 31
        ? Number(text)
        : new Unreadable('is no number that fits')
    case 'bigint':
      return WHOLE.test(text) && text.length < 19 ? text : new Unreadable('is no number that fits')
    case 'time':
      return timeIn(text, zone)
    case 'text':
      return text.includes('\0') ? new Unreadable('holds a zero character') : text
  }
}

/** Times that say nothing of their zone are those of `zone`. */
function timeIn(text: string, zone: string): string | Unreadable {
  if (!TIME.test(text) || text.startsWith('00', 5) || text.startsWith('00', 8)) {
    return new Unreadable('is no time')
  }
  const milliseconds = text[19] === '.' ? fractionOf(text) : '000'
  const iso = `${text.slice(0, 10)}T${text.slice(11, 19)}.${milliseconds}Z`
  if (zone === 'UTC' || SAYS_ZONE.test(text)) {
    return iso
  }
  const there = DateTime.fromISO(iso.slice(0, -1), { zone })
  return there.isValid ? there.toJSDate().toISOString() : new Unreadable('is no time')
}

/** What is finer than a millisecond was never shown to anybody. */
const fractionOf = (text: string) =>
  (/^\d+/.exec(text.slice(20))?.[0] ?? '').slice(0, 3).padEnd(3, '0')
