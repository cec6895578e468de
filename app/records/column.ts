import { DateTime } from 'luxon'

import type { Property } from '#query/declaration'
import { columnOf } from '#query/sql/identifiers'
import type { ModelClass, RecordModel } from './model.js'
import { seal, unseal, type Purpose } from './sealing.js'

/** The metadata of a column: how it is stored and who sees it. It is the column's `meta` in Lucid. */
export interface Column extends Property {
  /** Part of an answer only if `fields` names it. */
  readonly optIn?: boolean
  /** Decrypts a secret for callers that may see it; null if its key is missing. */
  readonly unseal?: (toStored: string) => Promise<string | null>
  /**
   * The purpose that the column is encrypted for in the database. Writers and event listeners handle the plain value.
   */
  readonly sealedFor?: Purpose
}

type Traits = Omit<Column, 'type'>
type Same<One, Other> = [One] extends [Other] ? ([Other] extends [One] ? true : false) : false
type ColumnValue<Value, T extends Traits> = T extends { nullable: true } ? Value | null : Value

/** Applies to a property of exactly this type: a nullable that differs between column and property does not compile. */
type ColumnDecorator<Value> = <Model extends RecordModel, Name extends keyof Model & string>(
  model: Model,
  name: Name & (Same<Model[Name], Value> extends true ? unknown : never)
) => void

const columnOfType =
  <Value>(type: Column['type']) =>
  <const T extends Traits = object>(traits?: T): ColumnDecorator<ColumnValue<Value, T>> =>
  (model, name) =>
    describe(model, name, { type, ...traits })

const text = columnOfType<string>('text')

/** Column decorators by database type. Traits refine them. */
export const column = {
  uuid: columnOfType<string>('uuid'),
  text,
  boolean: columnOfType<boolean>('boolean'),
  integer: columnOfType<number>('integer'),
  bigint: columnOfType<number>('bigint'),
  timestamp: columnOfType<DateTime>('timestamp'),
  json: columnOfType<any>('json'),
  /** JSON that is stored verbatim. */
  jsonText: columnOfType<string>('jsonText'),
  /** A text with a fixed set of values, known to the compiler. */
  oneOf: <const Choices extends readonly string[], const T extends Traits = object>(
    _choices: Choices,
    traits?: T
  ) => columnOfType<Choices[number]>('text')(traits),
  /** A secret that is encrypted in the database. */
  sealed: <const T extends Traits = object>(purpose: Purpose, traits?: T) =>
    text({
      secret: true,
      sealedFor: purpose,
      unseal: async (sealed: string) => unseal(purpose, sealed),
      ...traits,
    } as T),
}

/** Converts a value to its stored form. */
export const toStored = ({ sealedFor }: Column, value: unknown): unknown =>
  sealedFor && typeof value === 'string' ? seal(sealedFor, value) : value

/** Converts a stored value back. */
export const fromStored = ({ sealedFor }: Column, value: unknown): unknown =>
  sealedFor && typeof value === 'string' ? unseal(sealedFor, value) : value

/** The columns of a model in the order of declaration. */
export function columnsOf(model: ModelClass): Readonly<Record<string, Column>> {
  const columns = [...model.$columnsDefinitions].map(([name, { meta }]) => [name, meta] as const)
  return Object.fromEntries(columns)
}

function describe(record: RecordModel, name: string, meta: Column): void {
  const model = record.constructor as ModelClass
  model.boot()
  model.$addColumn(name, {
    isPrimary: name === 'id',
    columnName: columnOf(name, meta),
    serializeAs: meta.secret || meta.internal ? null : name,
    meta,
    ...conversions(meta),
  })
}

/** The conversions between database and model. */
function conversions(meta: Column) {
  if (meta.sealedFor) {
    return {
      prepare: (value: unknown) => toStored(meta, value),
      consume: (value: unknown) => fromStored(meta, value),
    }
  }
  switch (meta.type) {
    case 'timestamp':
      return { prepare: toIso, consume: toDateTime, serialize: toIso }
    case 'bigint':
      return { consume: (value: string | null) => (value === null ? null : Number(value)) }
    default:
      return {}
  }
}

const toIso = (time: DateTime | null | undefined) => time?.toUTC().toISO() ?? time
const toDateTime = (time: Date | null) => time && DateTime.fromJSDate(time)
