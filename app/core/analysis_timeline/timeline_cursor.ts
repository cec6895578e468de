import { BadRequest } from '#kernel/failures'
import { issue } from '#kernel/issues'

/**
 * Where a page ended: at which time, and how many entries of exactly that time each source had given by then. Whatever comes in
 * meanwhile is newer, so that pages neither repeat nor miss an entry.
 */
export interface TimelineCursor {
  readonly time: string
  readonly given: readonly number[]
}

const TIME = /^[12]\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const MOST_GIVEN = 10_000

export function writeCursor({ time, given }: TimelineCursor): string {
  return Buffer.from(JSON.stringify([time, ...given])).toString('base64url')
}

/** Throws for a text that no page ended with. */
export function readCursor(text: string, sources: number): TimelineCursor {
  const [time, ...given] = parsed(text)
  if (
    typeof time !== 'string' ||
    !TIME.test(time) ||
    Number.isNaN(Date.parse(time)) ||
    given.length !== sources ||
    !given.every(isCount)
  ) {
    const message = 'The cursor is none that a page ended with: leave it out to begin anew'
    throw new BadRequest(message, { issues: [issue('value_invalid', ['cursor'], message)] })
  }
  return { time, given }
}

function parsed(text: string): unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MOST_GIVEN
}
