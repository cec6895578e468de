import type { Fields } from '#hubctl/platform/pages'
import type { PlannedRequest } from '#hubctl/platform/planned'
import { blackened } from './blackened.js'
import { cellOf } from './cell.js'
import { columnsFor } from './columns.js'
import { describeRecord } from './description.js'
import { heading } from './heading.js'
import { styled } from './styled.js'
import { tableOf } from './table.js'
import { sentence } from './wrap.js'
import { yamlOf } from './yaml.js'

export const FORMATS = ['table', 'json', 'yaml', 'name'] as const

export type Format = (typeof FORMATS)[number]

export interface Shown {
  /** In front of ids, where only names are wanted. */
  readonly kind: string
  /** The attributes that are columns; without it those that there is room for. */
  readonly columns?: readonly string[] | undefined
  /** What is said in the place of an empty table. */
  readonly nothing?: string
}

const WIDTH = 80

/** What a command says: what was asked for to standard output, all else to standard error. */
export class Output {
  constructor(
    readonly format: Format,
    readonly isQuiet: boolean
  ) {}

  get isTable(): boolean {
    return this.format === 'table'
  }

  get width(): number {
    return process.stdout.columns ?? WIDTH
  }

  /** Records, in the format that was asked for. */
  records(records: readonly Fields[], { kind, columns, nothing }: Shown): void {
    if (this.format === 'json' || this.format === 'yaml') {
      return this.value(records)
    }
    if (this.format === 'name') {
      return records.forEach((record) => this.line(nameOf(kind, record)))
    }
    if (records.length === 0) {
      return this.note(nothing ?? `There is no ${kind} like that.`)
    }
    const names = columns ?? columnsFor(records, this.width)
    const rows = records.map((record) => names.map((name) => cellOf(valueAt(record, name))))
    this.line(tableOf(names.map(heading), rows, this.#cut))
  }

  /** One record with all that is known of it. */
  record(record: Fields, { kind }: Pick<Shown, 'kind'>): void {
    if (this.format === 'name') {
      return this.line(nameOf(kind, record))
    }
    this.isTable ? this.line(describeRecord(record, this.width)) : this.value(record)
  }

  /** Anything, as JSON or YAML. */
  value(value: unknown): void {
    this.line(this.format === 'yaml' ? yamlOf(value) : JSON.stringify(value, null, 2))
  }

  /** What a change has made: a sentence for people, the record for programs. */
  done(said: string, record?: Fields, kind = 'record'): void {
    if (this.isTable || record === undefined) {
      const mark = styled('green', '✔')
      return this.isQuiet ? undefined : this.line(`${mark} ${sentence(said, process.stdout, 2)}`)
    }
    this.record(record, { kind })
  }

  /** A line of what was asked for. */
  line(text: string): void {
    process.stdout.write(`${text}\n`)
  }

  lines(texts: readonly string[]): void {
    texts.forEach((text) => this.line(text))
  }

  /** Something beside what was asked for. */
  note(text: string): void {
    if (!this.isQuiet) {
      process.stderr.write(`${sentence(text, process.stderr)}\n`)
    }
  }

  /** A change that is not made. */
  planned({ method, address, body }: PlannedRequest): void {
    const sent = body === undefined ? {} : { body: blackened(body) }
    if (!this.isTable) {
      return this.value({ dryRun: true, method, address, ...sent })
    }
    this.line(`would send ${method} ${address}`)
    if (body !== undefined) {
      this.line(`  ${JSON.stringify(blackened(body))}`)
    }
  }

  /** A terminal cuts lines; what reads from a pipe wants them whole. */
  get #cut(): number | undefined {
    return process.stdout.isTTY ? this.width : undefined
  }
}

function nameOf(kind: string, { id, name }: Fields): string {
  return `${kind}/${cellOf(id ?? name)}`
}

/** `node.name` is an attribute of a record within the record. */
function valueAt(record: Fields, name: string): unknown {
  return name
    .split('.')
    .reduce<unknown>((value, key) => (value as Fields | null | undefined)?.[key], record)
}
