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
  /** The prefix of ids in the format `name`. */
  readonly kind: string
  /** The attributes to show as columns; by default those that fit. */
  readonly columns?: readonly string[] | undefined
  /** The message for an empty table. */
  readonly nothing?: string
}

/** The output options of a command. */
export interface OutputOptions {
  readonly output: Format
  readonly quiet?: boolean
  readonly columns?: readonly string[]
  readonly sortBy?: string
  /** Whether a table starts with a line of headings. */
  readonly headers?: boolean
}

/** Writes results to standard output and everything else to standard error. */
export class Output {
  readonly format: Format['name']
  readonly isQuiet: boolean
  readonly #options: OutputOptions

  constructor(options: OutputOptions) {
    this.#options = options
    this.format = options.output.name
    this.isQuiet = options.quiet ?? false
  }

  /** Whether the format has rows; other formats show records unchanged. */
  get isTable(): boolean {
    return ['table', 'wide', 'csv'].includes(this.format)
  }

  /** Characters per line. */
  get width(): number {
    return widthOf(process.stdout)
  }

  /** Shows a list of records in the requested format. */
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
      return this.note(nothing ?? `There is no matching ${kind}.`)
    }
    this.#rows(sorted, this.#columnsOf(sorted, columns))
  }

  /** Shows one record with all its attributes. */
  record(record: Fields, { kind }: Pick<ListingOptions, 'kind'>): void {
    if (this.format === 'name') {
      return this.line(nameOf(kind, record))
    }
    if (this.format === 'csv' || (this.isTable && this.#options.columns)) {
      return this.#rows([record], this.#columnsOf([record], Object.keys(record)))
    }
    this.isTable ? this.line(describeRecord(record, this.width)) : this.value(record)
  }

  /** Shows any value as JSON or YAML, or the part that a JSONPath selects. */
  value(value: unknown): void {
    const { select } = this.#options.output
    if (select) {
      return select(value).forEach((part) =>
        this.line(typeof part === 'string' ? printable(part) : jsonLine(part))
      )
    }
    this.line(this.format === 'yaml' ? yamlOf(value) : jsonOf(value))
  }

  /** Reports a successful change: a sentence for people, the record for programs. */
  done(message: string, record?: Fields, kind = 'record'): void {
    if (this.isTable || record === undefined) {
      const mark = styled('green', '✔')
      const text = wrapForStream(printable(message), process.stdout, 2)
      return this.isQuiet ? undefined : this.line(`${mark} ${text}`)
    }
    this.record(record, { kind })
  }

  /** Prints a line of the result. It may be styled; untrusted text must have passed `printable`. */
  line(text: string): void {
    process.stdout.write(`${styledLines(text)}\n`)
  }

  lines(texts: readonly string[]): void {
    texts.forEach((text) => this.line(text))
  }

  /** Prints additional information unless `--quiet` is set. */
  note(text: string): void {
    if (!this.isQuiet) {
      process.stderr.write(`${wrapForStream(printable(text), process.stderr)}\n`)
    }
  }

  /** Prints an error that does not end the command. */
  problem(text: string): void {
    process.stderr.write(`${wrapForStream(printable(text), process.stderr)}\n`)
  }

  /** Shows a request of a dry run. */
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

  /** Rows are cut to the width of a terminal, but not in a pipe or in the format `wide`. */
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

/** Requires that each requested column exists in at least one record. */
function requireColumns(records: readonly Fields[], columns: readonly string[]): readonly string[] {
  const unknown = columns.find((name) => !records.some((record) => hasAttribute(record, name)))
  if (unknown !== undefined) {
    const known = [...new Set(records.flatMap((record) => Object.keys(record)))]
    throw new UsageProblem(`There is no column "${unknown}".`, `There are: ${known.join(', ')}`)
  }
  return columns
}

/** Identifies a record by id or name; by its first attribute if it has neither. */
function nameOf(kind: string, record: Fields): string {
  return `${kind}/${cellOf(record.id ?? record.name ?? Object.values(record)[0])}`
}
