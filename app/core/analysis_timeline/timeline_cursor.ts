import { BadRequest } from '#kernel/failures'
import { issue } from '#kernel/issues'

/**
 * Where a page ended: at which time, and how many entries of exactly that time each source had given by then. Whatever comes in
 * meanwhile is newer, so that pages neither repeat nor miss an entry.
 */
export interface TimelineCursor {
  readonly time: string
  readonly returned: readonly number[]
}

const TIME = /^[12]\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const MAX_RETURNED = 10_000

export function writeCursor({ time, returned: given }: TimelineCursor): string {
  return Buffer.from(JSON.stringify([time, ...given])).toString('base64url')
}

/** Throws for a text that no page ended with. */
export function readCursor(text: string, sources: number): TimelineCursor {
  const [time, ...returned] = parse(text)
  if (
    typeof time !== 'string' ||
    !TIME.test(time) ||
    Number.isNaN(Date.parse(time)) ||
    returned.length !== sources ||
    !returned.every(isCount)
  ) {
    const message = 'The cursor is none that a page ended with: leave it out to begin anew'
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
