import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { DateTime } from 'luxon'

import type { ModelClass } from './model.js'

/** The attributes of a record by their wire names. */
export type Attributes = Readonly<Record<string, unknown>>

/** Attributes under construction. */
export type MutableAttributes = Record<string, unknown>

type Own<M extends ModelClass> = Exclude<keyof InstanceType<M>, keyof LucidRow> & string
type Relationship<Type extends string = string> = { readonly __opaque_type: Type }

/** The names of a model's columns. */
export type ColumnName<M extends ModelClass> = {
  [Name in Own<M>]: NonNullable<InstanceType<M>[Name]> extends Relationship ? never : Name
}[Own<M>]

/** The names of a model's relations to one other record. */
export type RelationName<M extends ModelClass> = {
  [Name in Own<M>]: NonNullable<InstanceType<M>[Name]> extends Relationship<'belongsTo'>
    ? Name
    : never
}[Own<M>]

type Plain<Value> = Value extends DateTime ? string : Value

/** The columns of a model; of any model if it is unknown. */
type Columns<M extends ModelClass> = [Exclude<ColumnName<M>, 'id'>] extends [never]
  ? Attributes
  : { readonly [Name in ColumnName<M>]: Plain<InstanceType<M>[Name]> }

/** A row as statements return it: times as ISO text, secrets decrypted. */
export type Row<M extends ModelClass = ModelClass> = { readonly id: string } & Columns<M>
