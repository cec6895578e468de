import { newMessage, type Message } from '#bus/message'
import { COMMAND_QUEUES, commandRouting } from '#bus/names'
import { LEVEL_NUMBERS } from '#observability/log_tap'

/** The longest message that the log store accepts. */
const MAX_MESSAGE_LENGTH = 4_096
const MAX_LABEL_LENGTH = 1_024

/** Fields that are not labels: they are stored elsewhere or carry no information. */
const EXCLUDED_FIELDS = new Set([
  'level',
  'time',
  'pid',
  'hostname',
  'name',
  'msg',
  'err',
  'surface',
])

/** A log line in the format of telemetry. */
export interface ShippedLine {
  readonly time: string
  readonly message: string
  readonly service: string
  readonly level: 'crit' | 'error' | 'warn' | 'info' | 'debug'
  readonly channel: 'http' | 'system'
  readonly labels: Readonly<Record<string, string>>
}

/** A written log line, with the fields that are used here. */
export interface LogLine {
  readonly level: number
  readonly time: number
  readonly msg?: string
  readonly err?: { readonly stack?: string; readonly message?: string }
  /** The surface it belongs to, if known. */
  readonly surface?: string
  readonly request_id?: string
  /** Set if the line is shipped by other means. */
  readonly shipped?: boolean
  readonly [label: string]: unknown
}

export function shippedLine(line: LogLine, surface: string): ShippedLine {
  return {
    time: new Date(line.time).toISOString(),
    message: messageOf(line).slice(0, MAX_MESSAGE_LENGTH).toWellFormed(),
    service: `hub-server-${surface}`,
    level: levelOf(line.level),
    channel: line.request_id === undefined ? 'system' : 'http',
    labels: labelsOf(line),
  }
}

/** The command that makes telemetry store the line. */
export function writeTask(line: ShippedLine): Message {
  return newMessage(commandRouting(COMMAND_QUEUES.telemetryLog), 'write', { ...line })
}

function messageOf({ msg = '', err }: LogLine): string {
  const trace = err?.stack ?? err?.message
  const text = trace === undefined ? msg : msg === '' ? trace : `${msg}\n${trace}`
  return text === '' ? '-' : text
}

function levelOf(number: number): ShippedLine['level'] {
  if (number >= LEVEL_NUMBERS.fatal) {
    return 'crit'
  }
  if (number >= LEVEL_NUMBERS.error) {
    return 'error'
  }
  if (number >= LEVEL_NUMBERS.warn) {
    return 'warn'
  }
  return number >= LEVEL_NUMBERS.info ? 'info' : 'debug'
}

/** Labels are scalar; objects are dropped. */
function labelsOf(line: LogLine): Record<string, string> {
  return Object.fromEntries(
    Object.entries(line).flatMap(([name, value]) =>
      !EXCLUDED_FIELDS.has(name) && ['string', 'number', 'boolean'].includes(typeof value)
        ? [[name, String(value).slice(0, MAX_LABEL_LENGTH).toWellFormed()]]
        : []
    )
  )
}
