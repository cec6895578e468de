import { DateTime } from 'luxon'

import type { Property } from '#query/declaration'
import { columnOf } from '#query/sql/identifiers'
import type { ModelClass, RecordModel } from './model.js'
import { seal, unseal, type Purpose } from './sealing.js'

/**
 * What the engine knows of a column of a model: how it is stored and to whom it is shown. It stands in the column's `meta`.
 */
export interface Column extends Property {
  /** Shown only to those who ask for it by name. */
  readonly optIn?: boolean
  /** Makes a secret that is kept encrypted readable, for those it is shown to; null where its key is gone. */
  readonly unseal?: (toStored: string) => Promise<string | null>
  /** For what a secret is sealed whenever it is stored; writers of it and listeners handle what was sent. */
  readonly sealedFor?: Purpose
}

type Traits = Omit<Column, 'type'>
type Same<One, Other> = [One] extends [Other] ? ([Other] extends [One] ? true : false) : false
type ColumnValue<Value, T extends Traits> = T extends { nullable: true } ? Value | null : Value

/** Fits a property of exactly this type: one that may be null in only one of the two places does not compile. */
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

/** The columns of models, by the type they have in the database. Traits say the rest. */
export const column = {
  uuid: columnOfType<string>('uuid'),
  text,
  boolean: columnOfType<boolean>('boolean'),
  integer: columnOfType<number>('integer'),
  bigint: columnOfType<number>('bigint'),
  timestamp: columnOfType<DateTime>('timestamp'),
  json: columnOfType<any>('json'),
  /** JSON that is kept as it was written. */
  jsonText: columnOfType<string>('jsonText'),
  /** A text that is one of a few, which the compiler knows. */
  oneOf: <const Choices extends readonly string[], const T extends Traits = object>(
    _choices: Choices,
    traits?: T
  ) => columnOfType<Choices[number]>('text')(traits),
  /** A secret that stands sealed in the database. */
  sealed: <const T extends Traits = object>(purpose: Purpose, traits?: T) =>
    text({
      secret: true,
      sealedFor: purpose,
      unseal: async (sealed: string) => unseal(purpose, sealed),
      ...traits,
    } as T),
}

/** What is stored for a value of a column. */
export const toStored = ({ sealedFor }: Column, value: unknown): unknown =>
  sealedFor && typeof value === 'string' ? seal(sealedFor, value) : value

/** The value of a column as it was before it was stored. */
export const fromStored = ({ sealedFor }: Column, value: unknown): unknown =>
  sealedFor && typeof value === 'string' ? unseal(sealedFor, value) : value

/** The columns of a model, in the order in which they are declared. */
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

/** Between what the database has and what a model holds. */
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
