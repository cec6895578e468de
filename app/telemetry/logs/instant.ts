/** Nanoseconds since 1970, the precision of log stores. */
export type Instant = bigint

const ISO = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d(?::\d\d)?)(?:[.,](\d{1,9})\d*)?(Z|[+-]\d\d:?\d\d)?$/i
const LARGEST_NUMBER = 1e20
/** The start of the first year that can be formatted. */
const EARLIEST = -62_135_596_800_000_000_000n
const PER_MS = 1_000_000n
const PER_SECOND = 1_000_000_000n

/** Numbers below a limit are seconds, milliseconds or microseconds; larger ones are nanoseconds. */
const UNITS: readonly (readonly [number, number])[] = [
  [1e11, 9],
  [1e14, 6],
  [1e17, 3],
]

export const instantOf = (milliseconds: number): Instant => BigInt(milliseconds) * PER_MS

/** Parses a time in ISO form or as a number, whose magnitude determines its unit; undefined for anything else. */
export function parseInstant(text: string): Instant | undefined {
  const trimmed = text.trim()
  return /^[+-]?\d/.test(trimmed) && Math.abs(Number(trimmed)) < LARGEST_NUMBER
    ? fromNumber(trimmed)
    : fromIso(trimmed)
}

/** UTC with nine digits: with fewer, log stores extend an end to the end of its second. */
export function isoOf(moment: Instant): string {
  const instant = moment < EARLIEST ? EARLIEST : moment
  const seconds = floorDivide(instant, PER_SECOND)
  const rest = instant - seconds * PER_SECOND
  const [whole] = new Date(Number(seconds) * 1_000).toISOString().split('.')
  return `${whole}.${String(rest).padStart(9, '0')}Z`
}

function fromNumber(text: string): Instant {
  const number = Number(text)
  const [, digits] = UNITS.find(([below]) => Math.abs(number) < below) ?? [0, 0]
  const [whole, fraction = ''] = /^[+-]?\d+(\.\d+)?$/.test(text)
    ? text.replace('+', '').split('.')
    : [String(Math.trunc(number))]
  const sign = whole!.startsWith('-') ? -1n : 1n
  const fractionDigits = BigInt(fraction.slice(0, digits).padEnd(digits, '0') || '0')
  return BigInt(whole!) * 10n ** BigInt(digits) + sign * fractionDigits
}

function fromIso(text: string): Instant | undefined {
  const [, day, hour, fraction = '', zone = 'Z'] = ISO.exec(text) ?? []
  const milliseconds = Date.parse(`${day}T${hour}${zone.toUpperCase()}`)
  if (day === undefined || Number.isNaN(milliseconds)) {
    return undefined
  }
  return instantOf(milliseconds) + BigInt(fraction.padEnd(9, '0'))
}

function floorDivide(value: bigint, by: bigint): bigint {
  const quotient = value / by
  return value < 0n && quotient * by !== value ? quotient - 1n : quotient
}
