import type { Access } from '#kernel/access'
import type { Actor } from '#kernel/actor'
import type { BodyOf, BodyValidator } from '#kernel/body'
import type { SqlCondition } from '#query/condition'
import type { Direction } from '#query/declaration'
import type { ModelClass } from './model.js'
import type { ColumnName, RelationName } from './row.js'

export type AnyBody = BodyValidator<Record<string, unknown>>

/** What the wire knows of a kind; what is stored of it, and as what, its model says. */
export interface KindDefinition<M extends ModelClass, Create = AnyBody, Update = AnyBody> {
  /** As it is written on the wire: camelCase. */
  readonly name: string
  readonly collection: string
  readonly create?: Create
  readonly update?: Update
  readonly filters?: readonly ColumnName<M>[]
  readonly sorts?: readonly ColumnName<M>[]
  readonly defaultSort?: readonly [column: ColumnName<M>, direction: Direction]
  readonly indexes: readonly (readonly ColumnName<M>[])[]
  /** The relations that `include` takes. */
  readonly includable?: readonly RelationName<M>[]
  /** Whether `meta.schema` names the allowed fields, or leaves it at the default ones. */
  readonly namesAllowedFields?: boolean
  /** The column with the realm whose members may write the record; records of no realm are everybody's. */
  readonly realm?: ColumnName<M>
  /** The columns with the realms that hear of changes; the realm's where they are left out. */
  readonly audience?: readonly ColumnName<M>[]
  readonly access: {
    readonly read?: Access
    readonly create?: Access
    readonly update?: Access
    readonly remove?: Access
  }
  /** What somebody who is not logged in sees of a record; for kinds that everybody may read, which is not the rule. */
  readonly openFields?: readonly ColumnName<M>[]
  /** Bodies are checked before permissions, unless a kind says otherwise. */
  readonly permissionFirst?: boolean
  /** Who sees the secret columns; nobody where it is left out. */
  readonly reveals?: (actor: Actor) => boolean | SqlCondition
}

/** A body all of which is kept, by columns of the model or as the kind says. */
export type Kept<Body extends AnyBody, Names> =
  Exclude<keyof BodyOf<Body>, Names> extends never
    ? unknown
    : { readonly 'what no column keeps': Exclude<keyof BodyOf<Body>, Names> }
