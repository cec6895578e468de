import { BadRequest } from '#kernel/failures'
import { issue } from '#kernel/issues'

/**
 * The time at which a page ended, and how many entries with exactly that time each source had returned by then. New
 * entries are newer, so pages neither repeat nor miss an entry.
 */
export interface TimelineCursor {
  readonly time: string
  readonly returned: readonly number[]
}

const TIME = /^[12]\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const MAX_RETURNED = 10_000

export function writeCursor({ time, returned }: TimelineCursor): string {
  return Buffer.from(JSON.stringify([time, ...returned])).toString('base64url')
}

/** Throws for an invalid cursor. */
export function readCursor(text: string, sources: number): TimelineCursor {
  const [time, ...returned] = parse(text)
  if (
    typeof time !== 'string' ||
    !TIME.test(time) ||
    Number.isNaN(Date.parse(time)) ||
    returned.length !== sources ||
    !returned.every(isCount)
  ) {
    const message = 'The cursor is invalid: leave it out to start with the first page'
    throw new BadRequest(message, { issues: [issue('value_invalid', ['cursor'], message)] })
  }
  return { time, returned }
}

function parse(text: string): unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MAX_RETURNED
}
