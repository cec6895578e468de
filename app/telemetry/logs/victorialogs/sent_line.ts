import type { LogLine } from '#telemetry/logs/log_line'
import { fieldsOf } from './fields.js'

/** A line that is sent, or retained until it is durable. */
export interface SentLine {
  readonly line: LogLine
  readonly text: string
  readonly bytes: number
}

export function sentLine(line: LogLine): SentLine {
  const text = fieldsOf(line)
  return { line, text, bytes: Buffer.byteLength(text) }
}

export function bytesOf(lines: readonly SentLine[]): number {
  return lines.reduce((sum, { bytes }) => sum + bytes, 0)
}
