import { MalformedMessage, type Message } from '#bus/message'
import { LOG_CHANNELS, LOG_LEVELS, type LogLevel } from '#records/log_lines'
import { fittedLine } from './fitted_line.js'
import type { LineLabels, LogLine } from './log_line.js'

/** Levels that other programs write, and what they are here. */
const OTHER_LEVELS: Readonly<Record<string, LogLevel>> = {
  fatal: 'crit',
  warning: 'warn',
  http: 'debug',
  verbose: 'debug',
  silly: 'debug',
  trace: 'debug',
}

/**
 * The line that a message brings. What can be made good is, so that a long trace or an unknown level does not cost the line.
 */
export function lineIn({ id, data, metadata }: Message): LogLine {
  const { message, service, level, channel, labels, time } = data
  if (typeof message !== 'string') {
    throw new MalformedMessage('it has no message')
  }
  return fittedLine(
    {
      message,
      service: typeof service === 'string' ? service : 'unknown',
      level: levelOf(level),
      channel: LOG_CHANNELS.find((known) => known === channel) ?? 'system',
      time: timeOf(time) ?? new Date(metadata.timestamp).toISOString(),
      labels: textsIn(labels),
    },
    id
  )
}

function levelOf(given: unknown): LogLevel {
  return (
    LOG_LEVELS.find((known) => known === given) ??
    (typeof given === 'string' ? OTHER_LEVELS[given] : undefined) ??
    'info'
  )
}

function timeOf(given: unknown): string | undefined {
  return typeof given === 'string' && !Number.isNaN(Date.parse(given)) ? given : undefined
}

function textsIn(labels: unknown): LineLabels {
  if (typeof labels !== 'object' || labels === null) {
    return {}
  }
  return Object.fromEntries(
    Object.entries(labels).flatMap(([name, value]) =>
      ['string', 'number', 'boolean'].includes(typeof value) ? [[name, String(value)]] : []
    )
  )
}
