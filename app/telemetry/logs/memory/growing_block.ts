import { LOG_FIELDS, recordOf, type LogLine } from '#telemetry/logs/log_line'
import { NO_LINES, type Block, type Lines } from './block.js'
import { BETWEEN, termText, type Term } from './term.js'

/** What texts, numbers and lists take beside what is in them. */
const PER_LINE = 96
const PER_TERM = 160
const PER_ENTRY = 8

/** The newest lines. */
export class GrowingBlock implements Block {
  readonly first: number
  readonly texts: string[] = []
  readonly times: number[] = []
  readonly terms = new Map<string, number[]>()
  #bytes = 0

  constructor(first: number) {
    this.first = first
  }

  get count(): number {
    return this.texts.length
  }

  get bytes(): number {
    return this.#bytes
  }

  add(line: LogLine): void {
    const place = this.count
    const text = JSON.stringify(recordOf(line))
    this.texts.push(text)
    this.times.push(Date.parse(line.time))
    this.#bytes += PER_LINE + text.length * 2
    for (const field of LOG_FIELDS) {
      this.#enter(termText(field, line[field]), place)
    }
    for (const [name, value] of Object.entries(line.labels)) {
      this.#enter(termText(name, value), place)
    }
  }

  timeOf(line: number): number {
    return this.times[line]!
  }

  textOf(line: number): string {
    return this.texts[line]!
  }

  linesWith({ text }: Term): Lines {
    return this.terms.get(text) ?? NO_LINES
  }

  *valuesOf(name: string): Iterable<readonly [string, Lines]> {
    const beginning = name + BETWEEN
    for (const [text, lines] of this.terms) {
      if (text.startsWith(beginning)) {
        yield [text.slice(beginning.length), lines]
      }
    }
  }

  #enter(term: string, place: number): void {
    const lines = this.terms.get(term)
    if (lines) {
      lines.push(place)
      this.#bytes += PER_ENTRY
    } else {
      this.terms.set(term, [place])
      this.#bytes += PER_TERM + term.length * 2
    }
  }
}
