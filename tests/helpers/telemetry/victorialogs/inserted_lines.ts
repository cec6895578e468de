import { gunzipSync } from 'node:zlib'

import { instantOf, parseInstant } from '#telemetry/logs/instant'

import type { KeptLine } from './kept_lines.js'

const LONGEST_LINE = 262_144
const DAY_MS = 86_400_000
const MISSING =
  'missing _msg field; see https://docs.victoriametrics.com/victorialogs/keyconcepts/#message-field'

export interface Taking {
  readonly now: number
  readonly retentionDays: number
}

/** What the server keeps of a body, and whether there was anything in it that it understands. */
export interface Taken {
  readonly lines: KeptLine[]
  readonly isUnderstood: boolean
}

export function bodyOf(bytes: Buffer, encoding: string | undefined): string {
  if (encoding !== 'gzip') {
    return bytes.toString()
  }
  try {
    return gunzipSync(bytes).toString()
  } catch {
    return ''
  }
}

/** Takes a body line by line. Nothing is said of lines that are dropped, as long as one of them can be read. */
export function takeLines(body: string, taking: Taking): Taken {
  const texts = body.split(/\r?\n/).filter((text) => text.trim() !== '')
  const tooLong = texts.findIndex((text) => Buffer.byteLength(text) >= LONGEST_LINE)
  const read = (tooLong === -1 ? texts : texts.slice(0, tooLong)).map((text) =>
    lineIn(text, taking)
  )
  const isUnderstood = texts.length === 0 || tooLong !== -1 || read.some((line) => line !== 'bad')
  return { lines: read.filter((line) => typeof line !== 'string'), isUnderstood }
}

function lineIn(text: string, { now, retentionDays }: Taking): KeptLine | 'bad' | 'dropped' {
  const object = objectIn(text)
  const given = object && flattened(object)
  const sent = given?.get('_time')
  const time = sent && sent !== '0' ? parseInstant(sent) : instantOf(now)
  if (!given || time === undefined) {
    return 'bad'
  }
  given.delete('_time')
  const milliseconds = Number(time / 1_000_000n)
  const isKept = milliseconds > now - retentionDays * DAY_MS && milliseconds < now + 2 * DAY_MS
  const isNamedRight = [...given.keys()].every((name) => Buffer.byteLength(name) <= 128)
  if (!isKept || !isNamedRight || given.size === 0 || given.size > 1_000) {
    return 'dropped'
  }
  const fields = new Map([...given, ['_msg', given.get('_msg') ?? MISSING]])
  return { fields, time, timeText: shortened(sent, time), takenAt: performance.now() }
}

function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

function flattened(object: Record<string, unknown>, prefix = ''): Map<string, string> {
  const fields = new Map<string, string>()
  for (const [name, value] of Object.entries(object)) {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      flattened(value as Record<string, unknown>, `${prefix}${name}.`).forEach((text, inner) =>
        fields.set(inner, text)
      )
    } else if (name !== '' && value !== null && value !== '') {
      fields.set(prefix + name, typeof value === 'string' ? value : JSON.stringify(value))
    }
  }
  return fields
}

/** Zeros at the end of a fraction are cut. */
function shortened(sent: string | undefined, time: bigint): string {
  const text = sent && sent !== '0' ? sent : new Date(Number(time / 1_000_000n)).toISOString()
  return text.replace(/(\.\d*?)0*Z$/, '$1Z').replace('.Z', 'Z')
}
