import { DateTime } from 'luxon'

import { isUuid } from '#kernel/is_uuid'
import type { Value } from '#adopt/transfer'
import { isEmptyValue } from './empty_value.js'
import type { ValueType } from './table_shape.js'
import { UnreadableValue } from './unreadable_value.js'

const TIME = /^\d{4}-[01]\d-[0-3]\d[ T][0-2]\d:[0-5]\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d(?::?\d\d)?)?$/
const IS_UTC = /(?:Z|[+-]00(?::?00)?)$/
const SAYS_ZONE = /(?:Z|[+-]\d\d(?::?\d\d)?)$/
const NUMBER = /^[+-]?\d+(?:\.\d+)?(?:e\+?\d+)?$/i
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

/** Converts a database text to the common form of both sides. Only text columns can contain `null` or a blank. */
export function readValue(type: ValueType, text: string, zone = 'UTC'): Value | UnreadableValue {
  if (type === 'text') {
    return text.includes('\0') ? new UnreadableValue('contains a null character') : text
  }
  const bare = text.trim()
  return isEmptyValue(bare) ? null : readTyped(type, bare, zone)
}

function readTyped(type: Exclude<ValueType, 'text'>, text: string, zone: string) {
  switch (type) {
    case 'uuid':
      return isUuid(text) ? text.toLowerCase() : new UnreadableValue('is not a UUID')
    case 'boolean':
      return BOOLEANS[text] ?? new UnreadableValue('is neither true nor false')
    case 'integer': {
      const digits = wholeIn(text)
      return digits !== undefined && Math.abs(Number(digits)) < 2 ** 31
        ? Number(digits)
        : new UnreadableValue('is not a number in range')
    }
    case 'bigint':
      return wholeIn(text) ?? new UnreadableValue('is not a number in range')
    case 'time':
      return timeIn(text, zone)
  }
}

/** The digits of an integer in any notation. */
function wholeIn(text: string): string | undefined {
  if (WHOLE.test(text)) {
    return text.length < 19 ? text : undefined
  }
  const number = NUMBER.test(text) ? Number(text) : Number.NaN
  return Number.isSafeInteger(number) ? String(number) : undefined
}

/** `zone` applies to times without an offset. */
function timeIn(text: string, zone: string): string | UnreadableValue {
  if (!TIME.test(text) || text.startsWith('00', 5) || text.startsWith('00', 8)) {
    return new UnreadableValue('is not a time')
  }
  const milliseconds = text[19] === '.' ? fractionOf(text) : '000'
  const iso = `${text.slice(0, 10)}T${text.slice(11, 19)}.${milliseconds}Z`
  if (IS_UTC.test(text) || (zone === 'UTC' && !SAYS_ZONE.test(text))) {
    return iso
  }
  const offset = SAYS_ZONE.exec(text)?.[0] ?? ''
  const there = DateTime.fromISO(`${iso.slice(0, -1)}${offset}`, { zone })
  return there.isValid ? there.toJSDate().toISOString() : new UnreadableValue('is not a time')
}

/** The former platform never showed more than milliseconds. */
const fractionOf = (text: string) =>
  (/^\d+/.exec(text.slice(20))?.[0] ?? '').slice(0, 3).padEnd(3, '0')
