import { clock } from '#kernel/clock'
import { newLineKey } from './line_key.js'
import type { LineLabels, LineOwner, LogLine, LogRecord } from './log_line.js'
import { normalizeLabels } from '#query/label_name'
import { MAX_LABELS, RESERVED_LABELS } from './reserved_labels.js'

/** Longer messages are truncated, so that a long trace does not lose the line. */
const MAX_MESSAGE_LENGTH = 4_096
const MAX_SERVICE_LENGTH = 64
/** Log stores silently drop longer lines, and those after them. */
const MAX_LINE_BYTES = 200 * 1024

const EMPTY = '-'

type LineInput = Omit<LogRecord, 'time' | 'labels'> & {
  readonly time?: string | undefined
  readonly labels?: LineLabels | null | undefined
  readonly owner?: LineOwner
}

/** The line to store: truncated to the limits of stores, and with a key. */
export function normalizedLine(input: LineInput, unique?: string): LogLine {
  const { level, channel, owner } = input
  const line = {
    key: newLineKey(unique),
    time: timeOf(input.time),
    message: truncateText(input.message, MAX_MESSAGE_LENGTH) || EMPTY,
    level,
    service: truncateText(input.service, MAX_SERVICE_LENGTH) || EMPTY,
    channel,
    labels: allowedLabels(input.labels ?? {}),
    ...(owner && { owner }),
  }
  return withinLimit(line)
}

/** Truncates a text without splitting a surrogate pair. */
export function truncateText(text: string, most: number): string {
  const wellFormed = text.toWellFormed()
  if (wellFormed.length <= most) {
    return wellFormed
  }
  const isBetweenHalves = /[\uDC00-\uDFFF]/.test(wellFormed[most]!)
  return wellFormed.slice(0, isBetweenHalves ? most - 1 : most)
}

function timeOf(input: string | undefined): string {
  const milliseconds = input === undefined ? clock.now() : Date.parse(input)
  return new Date(Number.isNaN(milliseconds) ? clock.now() : milliseconds).toISOString()
}

function allowedLabels(input: LineLabels): LineLabels {
  const allowed = Object.entries(normalizeLabels(input)).filter(
    ([name]) => !RESERVED_LABELS.has(name)
  )
  return Object.fromEntries(
    allowed.slice(0, MAX_LABELS).map(([name, value]) => [name, value.toWellFormed()])
  )
}

/** Truncates the longest labels until the line fits. */
function withinLimit(line: LogLine): LogLine {
  let excess = bytesOf(line) - MAX_LINE_BYTES
  if (excess <= 0) {
    return line
  }
  const byLength = Object.entries(line.labels).toSorted((a, b) => bytesOf(b[1]) - bytesOf(a[1]))
  const labels = new Map(Object.entries(line.labels))
  for (const [name, value] of byLength) {
    if (excess > 0) {
      const bytes = bytesOf(value)
      const share = Math.max(0, 1 - excess / bytes)
      const shorter = truncateText(value, Math.floor(value.length * share * LEEWAY))
      labels.set(name, shorter)
      excess -= bytes - bytesOf(shorter)
    }
  }
  const shortened = { ...line, labels: allowedLabels(Object.fromEntries(labels)) }
  return withinLimit(shortened)
}

/** Leaves room for characters of several bytes. */
const LEEWAY = 0.9

function bytesOf(content: unknown): number {
  return Buffer.byteLength(JSON.stringify(content))
}
