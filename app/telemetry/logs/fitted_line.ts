import { clock } from '#kernel/clock'
import { newLineKey } from './line_key.js'
import type { LineLabels, LogLine, LogRecord } from './log_line.js'
import { fittedLabels } from '#query/label_name'
import { MOST_LABELS, RESERVED_LABELS } from './reserved_labels.js'

/** What is longer is cut, so that a long trace does not cost the line. */
const LONGEST_MESSAGE = 4_096
const LONGEST_SERVICE = 64
/** Log stores drop longer lines without a word, and those after them. */
const MOST_BYTES = 200 * 1024

const NOTHING_SAID = '-'

type Given = Omit<LogRecord, 'time' | 'labels'> & {
  readonly time?: string | undefined
  readonly labels?: LineLabels | null | undefined
}

/** The line that is kept of what was sent: cut to what stores take, and with a key. */
export function fittedLine(given: Given, unique?: string): LogLine {
  const { level, channel } = given
  const line = {
    key: newLineKey(unique),
    time: timeOf(given.time),
    message: cutTo(given.message, LONGEST_MESSAGE) || NOTHING_SAID,
    level,
    service: cutTo(given.service, LONGEST_SERVICE) || NOTHING_SAID,
    channel,
    labels: keptLabels(given.labels ?? {}),
  }
  return withinBytes(line)
}

/** The text without what follows its first characters, none of which is cut in two. */
export function cutTo(text: string, most: number): string {
  const wellFormed = text.toWellFormed()
  if (wellFormed.length <= most) {
    return wellFormed
  }
  const isBetweenHalves = /[\uDC00-\uDFFF]/.test(wellFormed[most]!)
  return wellFormed.slice(0, isBetweenHalves ? most - 1 : most)
}

function timeOf(given: string | undefined): string {
  const milliseconds = given === undefined ? clock.now() : Date.parse(given)
  return new Date(Number.isNaN(milliseconds) ? clock.now() : milliseconds).toISOString()
}

function keptLabels(given: LineLabels): LineLabels {
  const kept = Object.entries(fittedLabels(given)).filter(([name]) => !RESERVED_LABELS.has(name))
  return Object.fromEntries(
    kept.slice(0, MOST_LABELS).map(([name, value]) => [name, value.toWellFormed()])
  )
}

/** The longest labels are cut until the line fits. */
function withinBytes(line: LogLine): LogLine {
  let excess = bytesOf(line) - MOST_BYTES
  if (excess <= 0) {
    return line
  }
  const byLength = Object.entries(line.labels).toSorted((a, b) => bytesOf(b[1]) - bytesOf(a[1]))
  const labels = new Map(Object.entries(line.labels))
  for (const [name, value] of byLength) {
    if (excess > 0) {
      const bytes = bytesOf(value)
      const share = Math.max(0, 1 - excess / bytes)
      const shorter = cutTo(value, Math.floor(value.length * share * LEEWAY))
      labels.set(name, shorter)
      excess -= bytes - bytesOf(shorter)
    }
  }
  const shortened = { ...line, labels: keptLabels(Object.fromEntries(labels)) }
  return withinBytes(shortened)
}

/** Characters of a text need different numbers of bytes. */
const LEEWAY = 0.9

function bytesOf(content: unknown): number {
  return Buffer.byteLength(JSON.stringify(content))
}
