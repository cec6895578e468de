import { MalformedMessage, type Message } from '#bus/message'
import { LOG_CHANNELS, LOG_LEVELS, type LogLevel } from '#records/log_lines'
import { normalizedLine } from './normalized_line.js'
import type { LineLabels, LogLine } from './log_line.js'

/** Levels of other programs, and their equivalents. */
const OTHER_LEVELS: Readonly<Record<string, LogLevel>> = {
  fatal: 'crit',
  warning: 'warn',
  http: 'debug',
  verbose: 'debug',
  silly: 'debug',
  trace: 'debug',
}

/** The line of a message. Invalid fields get defaults, so that the line is not lost. */
export function parseLine({ id, data, metadata }: Message): LogLine {
  const { message, service, level, channel, labels, time } = data
  if (typeof message !== 'string') {
    throw new MalformedMessage('it has no message')
  }
  return normalizedLine(
    {
      message,
      service: typeof service === 'string' ? service : 'unknown',
      level: levelOf(level),
      channel: LOG_CHANNELS.find((known) => known === channel) ?? 'system',
      time: timeOf(time) ?? new Date(metadata.timestamp).toISOString(),
      labels: labelsOf(labels),
    },
    id
  )
}

function levelOf(value: unknown): LogLevel {
  return (
    LOG_LEVELS.find((known) => known === value) ??
    (typeof value === 'string' ? OTHER_LEVELS[value] : undefined) ??
    'info'
  )
}

function timeOf(value: unknown): string | undefined {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value)) ? value : undefined
}

function labelsOf(labels: unknown): LineLabels {
  if (typeof labels !== 'object' || labels === null) {
    return {}
  }
  return Object.fromEntries(
    Object.entries(labels).flatMap(([name, value]) =>
      ['string', 'number', 'boolean'].includes(typeof value) ? [[name, String(value)]] : []
    )
  )
}
