import { createHmac, hash, hkdfSync } from 'node:crypto'

import { oncePer } from '#kernel/once_per'
import { appSettings, type AppSettings } from '#settings/app_settings'
import type { Transfer, Value, Values } from '#adopt/transfer'
import { readChoice } from './read_choice.js'
import { readJson, type JsonForm } from './read_json.js'
import { readValue } from './read_value.js'
import type { TableShape, ValueType } from './table_shape.js'
import { UnreadableValue } from './unreadable_value.js'

/** A row that is valid here. */
export class ValidRow {
  readonly values: Values
  /** The compared values. */
  readonly line: string

  constructor(values: Values, line: string) {
    this.values = values
    this.line = line
  }

  get id(): string {
    return String(this.values.id)
  }

  /** Digest of the compared values. */
  get digest(): string {
    return hash('sha256', this.line).slice(0, 32)
  }
}

/** A row that is not valid here. */
export interface RowMismatch {
  readonly id: string
  readonly reasons: readonly string[]
}

export const isMismatch = (read: ValidRow | RowMismatch): read is RowMismatch => 'reasons' in read

/** Keyed with the application key, so that secrets cannot be guessed from their hashes without it. */
const secretKeyOf = oncePer(({ appKeys }: AppSettings) =>
  Buffer.from(hkdfSync('sha256', appKeys[0], '', 'adopted secrets', 32))
)

interface Field {
  readonly name: string
  readonly type: ValueType
  readonly isNullable: boolean
  readonly isDerived: boolean
  readonly isSecret: boolean
  /** Maximum characters of a text. Unlimited for secrets, which grow when sealed. */
  readonly most: number
  readonly set: ReadonlySet<string> | undefined
  readonly json: JsonForm | undefined
}

/** Reads rows of both sides into the common form for comparing and writing. */
export class RowReader {
  readonly #transfer: Transfer
  readonly #fields: readonly Field[]
  readonly #zone: string

  /** `zone` applies to times without an offset. */
  constructor(transfer: Transfer, shape: TableShape, zone = 'UTC') {
    this.#transfer = transfer
    this.#zone = zone
    const { columns, derived = [] } = transfer
    this.#fields = [...columns, ...derived].map((name) => fieldOf(name, transfer, shape))
  }

  /** Reads a row from its texts by column name. */
  read(texts: Readonly<Record<string, string | null>>): ValidRow | RowMismatch {
    const { convert, problemWith: findProblem } = this.#transfer
    const values: Record<string, Value> = {}
    const reasons: string[] = []
    for (const field of this.#fields) {
      const text = texts[field.name] ?? null
      const value = text === null ? null : readField(field, text, this.#zone)
      if (!(value instanceof UnreadableValue)) {
        values[field.name] = value
      } else if (field.isDerived) {
        values[field.name] = null
      } else {
        reasons.push(`${field.name} ${value.reason}`)
      }
    }
    if (reasons.length === 0) {
      convert?.(values)
      for (const field of this.#fields) {
        const problem = field.isDerived ? undefined : problemWith(field, values[field.name]!)
        if (problem !== undefined) {
          reasons.push(problem)
        }
      }
      const refusal = findProblem?.(values)
      if (refusal !== undefined) {
        reasons.push(refusal)
      }
    }
    return reasons.length > 0
      ? { id: texts.id ?? '', reasons }
      : new ValidRow(values, this.#line(values))
  }

  #line(values: Values): string {
    const compared: Value[] = []
    for (const { name, isDerived, isSecret } of this.#fields) {
      const value = values[name]!
      if (!isDerived) {
        compared.push(isSecret && value !== null ? hashSecret(String(value)) : value)
      }
    }
    return JSON.stringify(compared)
  }
}

function fieldOf(
  name: string,
  { derived, secrets = {}, choices = {}, json = {} }: Transfer,
  { columns }: TableShape
): Field {
  const { type, isNullable, maxLength } = columns.get(name)!
  const isSecret = name in secrets
  return {
    name,
    type,
    isNullable,
    isSecret,
    isDerived: derived?.includes(name) ?? false,
    most: isSecret ? Infinity : (maxLength ?? Infinity),
    set: choices[name] && new Set(choices[name]),
    json: json[name],
  }
}

function readField(
  { type, set, json }: Field,
  text: string,
  zone: string
): Value | UnreadableValue {
  if (json) {
    return readJson(json, text)
  }
  return set ? readChoice(set, text) : readValue(type, text, zone)
}

function problemWith(field: Field, value: Value): string | undefined {
  const { name, isNullable, most: maxLength } = field
  if (value === null) {
    return isNullable ? undefined : `${name} is empty`
  }
  // A character may take two UTF-16 code units.
  return typeof value === 'string' && value.length > maxLength && [...value].length > maxLength
    ? `${name} is longer than ${maxLength} characters`
    : undefined
}

const hashSecret = (secret: string) =>
  createHmac('sha256', secretKeyOf(appSettings())).update(secret).digest('hex')
