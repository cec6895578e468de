import type { Load } from '#tests/drills/upgrade/load'

/** The longest time without an acknowledged request of each kind, in milliseconds. */
export interface Outages {
  readonly writes: number
  readonly messages: number
  readonly uploads: number
}

/** How long clients waited between two times of `performance.now()`. */
export function outagesOf({ parts }: Load, from: number, to: number): Outages {
  const writes = parts.client.exchanges
    .filter(({ status }) => status !== undefined && status < 300)
    .map(({ at, milliseconds }) => at + milliseconds)
  const uploads = [...parts.forms.accepted, ...parts.resumable.accepted].map(({ at }) => at)
  return {
    writes: longestGap(writes, from, to),
    messages: longestGap(parts.ledger.acceptedAt, from, to),
    uploads: longestGap(uploads, from, to),
  }
}

/** Between two of these times, or the first or last one and the limits. */
export function longestGap(times: readonly number[], from: number, to: number): number {
  const inside = times.filter((time) => time > from && time < to).sort((one, other) => one - other)
  const marks = [from, ...inside, to]
  return Math.round(Math.max(...marks.slice(1).map((time, n) => time - marks[n]!)))
}
