import { escapeXml } from './escape.js'

const HEIGHT = 14
const HOUR_MS = 3_600_000
const TICK_HOURS = 6

/** A time in which a node was online; `until` is null if it still is. */
export interface PresenceSpan {
  readonly from: string
  readonly until: string | null
}

interface PresenceLineOptions {
  readonly spans: readonly PresenceSpan[]
  readonly now: number
  readonly hours: number
  readonly width: number
  /** The content in words, for screen readers. */
  readonly label: string
}

/** The presence of a node as a line: filled where it was online. All values are numbers, except the label. */
export function presenceLine({ spans, now, hours, width, label }: PresenceLineOptions): string {
  const from = now - hours * HOUR_MS
  const x = (time: number) =>
    Math.round(Math.min(1, Math.max(0, (time - from) / (now - from))) * width * 10) / 10
  const online = spans.map((span) => {
    const start = x(Date.parse(span.from))
    const end = x(span.until === null ? now : Date.parse(span.until))
    return `<rect class="on" x="${start}" y="2" width="${Math.max(1, end - start)}" height="10"/>`
  })
  const ticks = Array.from({ length: Math.floor(hours / TICK_HOURS) - 1 }, (_, index) => {
    const at = x(from + (index + 1) * TICK_HOURS * HOUR_MS)
    return `<path class="tick" d="M${at} 0V${HEIGHT}"/>`
  })
  return [
    `<svg class="presence" role="img" aria-label="${escapeXml(label)}" viewBox="0 0 ${width} ${HEIGHT}"`,
    ` width="${width}" height="${HEIGHT}" preserveAspectRatio="none">`,
    `<rect class="away" x="0" y="2" width="${width}" height="10"/>`,
    ...online,
    ...ticks,
    '</svg>',
  ].join('')
}
