import { CONTROL_CHARACTERS, REPLACEMENT } from '#kernel/control_characters'
import { LEVEL_NUMBERS } from './log_tap.js'

interface LogLine {
  readonly level: number
  readonly time: number
  readonly msg?: string
  readonly err?: { readonly message?: string; readonly stack?: string }
  readonly [field: string]: unknown
}

/** What is the same in each line of a process. */
const OF_PROCESS = new Set(['level', 'time', 'pid', 'hostname', 'name', 'msg', 'err'])

const LEVEL_NAMES = new Map<number, string>(
  Object.entries(LEVEL_NUMBERS).map(([name, number]) => [number, name])
)

/** Writes log lines for somebody who reads them at a terminal, and not for a program. */
export class TerminalLines {
  readonly #output: { write(text: string): unknown }

  constructor(output: { write(text: string): unknown }) {
    this.#output = output
  }

  write(line: string): void {
    this.#output.write(`${readable(JSON.parse(line) as LogLine)}\n`)
  }
}

function readable(line: LogLine): string {
  const time = new Date(line.time).toTimeString().slice(0, 8)
  const level = (LEVEL_NAMES.get(line.level) ?? String(line.level)).padEnd(5)
  const fields = Object.entries(line)
    .filter(([name]) => !OF_PROCESS.has(name))
    .map(([name, value]) => ` ${name}=${JSON.stringify(value)}`)
  const error = line.err?.stack ?? line.err?.message
  const text = `${line.msg ?? ''}${fields.join('')}${error ? `\n${error}` : ''}`
  return `${time} ${level} ${withoutControls(text)}`
}

/** A caller may have sent what a terminal obeys. */
const withoutControls = (text: string): string =>
  text.replaceAll(CONTROL_CHARACTERS, (character) => (character === '\n' ? '\n' : REPLACEMENT))
