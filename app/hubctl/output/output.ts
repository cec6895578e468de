import type { Fields } from '#hubctl/platform/pages'
import type { PlannedRequest } from '#hubctl/platform/plan_recorder'
import { UsageProblem } from '#hubctl/problem'
import { redacted } from './redacted.js'
import { cellOf } from './cell.js'
import { columnsFor, orderedColumns } from './columns.js'
import { csvOf } from './csv.js'
import { describeRecord } from './description.js'
import type { Format } from './format.js'
import { heading } from './heading.js'
import { jsonLine, jsonOf } from './json.js'
import { printable, styledLines } from './printable.js'
import { sortedBy } from './sorting.js'
import { styled } from './styled.js'
import { tableOf } from './table.js'
import { hasAttribute, valueAt } from './value_at.js'
import { widthOf } from './width.js'
import { wrapForStream } from './wrap.js'
import { yamlOf } from './yaml.js'

export interface ListingOptions {
  /** In front of ids, where only names are wanted. */
  readonly kind: string
  /** The attributes that are columns; without it those that there is room for. */
  readonly columns?: readonly string[] | undefined
  /** What is said in the place of an empty table. */
  readonly nothing?: string
}

/** How records are shown, as the options of a call say it. */
export interface OutputOptions {
  readonly output: Format
  readonly quiet?: boolean
  readonly columns?: readonly string[]
  readonly sortBy?: string
  /** Whether a table begins with its headings. */
  readonly headers?: boolean
}

/** What a command says: what was asked for to standard output, all else to standard error. */
export class Output {
  readonly format: Format['name']
  readonly isQuiet: boolean
  readonly #options: OutputOptions

  constructor(options: OutputOptions) {
    this.#options = options
    this.format = options.output.name
    this.isQuiet = options.quiet ?? false
  }

  /** Whether records are shown in rows; other formats show them as they are. */
  get isTable(): boolean {
    return ['table', 'wide', 'csv'].includes(this.format)
  }

  /** How many characters fit on a line. */
  get width(): number {
    return widthOf(process.stdout)
  }

  /** Records, in the format that was asked for. */
  records(records: readonly Fields[], { kind, columns, nothing }: ListingOptions): void {
    const { sortBy } = this.#options
    const sorted = sortBy === undefined ? records : sortedBy(records, sortBy)
    if (this.format === 'name') {
      return sorted.forEach((record) => this.line(nameOf(kind, record)))
    }
    if (!this.isTable) {
      return this.value(sorted)
    }
    if (records.length === 0) {
      return this.note(nothing ?? `There is no ${kind} like that.`)
    }
    this.#rows(sorted, this.#columnsOf(sorted, columns))
  }

  /** One record with all that is known of it. */
  record(record: Fields, { kind }: Pick<ListingOptions, 'kind'>): void {
    if (this.format === 'name') {
      return this.line(nameOf(kind, record))
    }
    if (this.format === 'csv' || (this.isTable && this.#options.columns)) {
      return this.#rows([record], this.#columnsOf([record], Object.keys(record)))
    }
    this.isTable ? this.line(describeRecord(record, this.width)) : this.value(record)
  }

  /** Anything, as JSON or YAML, or the part of it that was asked for. */
  value(value: unknown): void {
    const { select } = this.#options.output
    if (select) {
      return select(value).forEach((part) =>
        this.line(typeof part === 'string' ? printable(part) : jsonLine(part))
      )
    }
    this.line(this.format === 'yaml' ? yamlOf(value) : jsonOf(value))
  }

  /** What a change has made: a sentence for people, the record for programs. */
  done(message: string, record?: Fields, kind = 'record'): void {
    if (this.isTable || record === undefined) {
      const mark = styled('green', '✔')
      const text = wrapForStream(printable(message), process.stdout, 2)
      return this.isQuiet ? undefined : this.line(`${mark} ${text}`)
    }
    this.record(record, { kind })
  }

  /** A line of what was asked for. It may be styled; what others wrote has gone through `shown`. */
  line(text: string): void {
    process.stdout.write(`${styledLines(text)}\n`)
  }

  lines(texts: readonly string[]): void {
    texts.forEach((text) => this.line(text))
  }

  /** Something beside what was asked for. */
  note(text: string): void {
    if (!this.isQuiet) {
      process.stderr.write(`${wrapForStream(printable(text), process.stderr)}\n`)
    }
  }

  /** What could not be done beside what was. */
  problem(text: string): void {
    process.stderr.write(`${wrapForStream(printable(text), process.stderr)}\n`)
  }

  /** A change that is not made. */
  recordPlanned({ method, address, body }: PlannedRequest): void {
    const sent = body === undefined ? {} : { body: redacted(body) }
    if (!this.isTable) {
      return this.value({ dryRun: true, method, address, ...sent })
    }
    this.line(`would send ${method} ${address}`)
    if (body !== undefined) {
      this.line(`  ${jsonLine(redacted(body))}`)
    }
  }

  /** A terminal cuts lines; what reads from a pipe wants them whole, and so does who asked for all of them. */
  #rows(records: readonly Fields[], names: readonly string[]): void {
    const { headers = true } = this.#options
    if (this.format === 'csv') {
      const rows = records.map((record) => names.map((name) => valueAt(record, name)))
      return this.line(csvOf(headers ? [names, ...rows] : rows))
    }
    const rows = records.map((record) => names.map((name) => cellOf(valueAt(record, name))))
    const width = this.format === 'wide' ? Infinity : this.width
    this.line(tableOf(headers ? names.map(heading) : undefined, rows, width))
  }

  #columnsOf(
    records: readonly Fields[],
    defaultColumns: readonly string[] | undefined
  ): readonly string[] {
    const { columns } = this.#options
    if (columns) {
      return requireColumns(records, columns)
    }
    const fittingColumns = () =>
      this.format === 'table' ? columnsFor(records, this.width) : orderedColumns(records)
    return defaultColumns ?? fittingColumns()
  }
}

/** Columns that were asked for by name; one that no record has is a slip of the pen. */
function requireColumns(records: readonly Fields[], columns: readonly string[]): readonly string[] {
  const unknown = columns.find((name) => !records.some((record) => hasAttribute(record, name)))
  if (unknown !== undefined) {
    const known = [...new Set(records.flatMap((record) => Object.keys(record)))]
    throw new UsageProblem(`There is no column "${unknown}".`, `There are: ${known.join(', ')}`)
  }
  return columns
}

/** Records of some kinds have neither an id nor a name: the first thing that is known of them stands in. */
function nameOf(kind: string, record: Fields): string {
  return `${kind}/${cellOf(record.id ?? record.name ?? Object.values(record)[0])}`
}
