import type { Access } from '#kernel/access'
import type { Actor } from '#kernel/actor'
import type { BodyOf, BodyValidator } from '#kernel/body'
import type { SqlCondition } from '#query/condition'
import type { Direction } from '#query/declaration'
import type { Audit } from './audit.js'
import type { ModelClass } from './model.js'
import type { Attributes, ColumnName, RelationName, Row } from './row.js'

export type AnyBody = BodyValidator<Attributes>

/** The wire format, queries and access rules of a kind. Its model declares the storage. */
export interface KindDefinition<M extends ModelClass, Create = AnyBody, Update = AnyBody> {
  /** The camelCase name on the wire. */
  readonly name: string
  readonly collection: string
  readonly create?: Create
  readonly update?: Update
  readonly filters?: readonly ColumnName<M>[]
  readonly sorts?: readonly ColumnName<M>[]
  readonly defaultSort?: readonly [column: ColumnName<M>, direction: Direction]
  readonly indexes: readonly (readonly ColumnName<M>[])[]
  /** The relations that `include` accepts. */
  readonly includable?: readonly RelationName<M>[]
  /** Whether the kind supports `fields`; otherwise answers contain whole records. */
  readonly choosesFields?: boolean
  /** Whether `meta.schema` lists the allowed fields in addition to the default ones. */
  readonly namesAllowedFields?: boolean
  /** The column with the realm that owns the record. Kinds without it have no owner. */
  readonly realm?: ColumnName<M>
  /**
   * Text columns whose combinations have maintained totals, so that lists filtered by one value of each need no count.
   */
  readonly totalsBy?: readonly ColumnName<M>[]
  /** The columns with the realms that receive changes; defaults to `realm`. */
  readonly audience?: readonly ColumnName<M>[]
  /** The attribute of an update that `If-Match` sets, for kinds with optimistic concurrency control. */
  readonly precondition?: string
  /** Defaults to `DEFAULT_AUDIT`. */
  readonly audit?: Partial<Audit<ColumnName<M>>>
  readonly access: {
    readonly read?: Access
    readonly create?: Access
    readonly update?: Access
    readonly remove?: Access
  }
  /** The columns that anonymous callers see, for public kinds. */
  readonly openFields?: readonly ColumnName<M>[]
  /** Whether `force` deletes a record that others reference. */
  readonly forcible?: boolean
  /** Checks the permission before the body; by default the body is checked first. */
  readonly permissionFirst?: boolean
  /** The limit of a creation body; 1 MiB by default. */
  readonly maxBodyBytes?: number
  /** Who sees the secret columns; no caller by default. */
  readonly reveals?: (actor: Actor) => boolean | SqlCondition
}

type CompileError<What extends string, Names> = [Names] extends [never]
  ? unknown
  : { readonly [Name in What]: Names }

/** Attributes of a body whose type differs from their column. Services convert null. */
type MismatchedColumn<M extends ModelClass, Body, Names extends keyof Body & ColumnName<M>> = {
  [Name in Names]: NonNullable<Body[Name]> extends Row<M>[Name] ? never : Name
}[Names]

/** A body whose attributes all have a matching column or are listed in `notAsSent`. */
export type StoredBody<M extends ModelClass, Body extends AnyBody, NotAsSent> = CompileError<
  'what no column keeps',
  Exclude<keyof BodyOf<Body>, ColumnName<M> | NotAsSent>
> &
  CompileError<
    'what does not fit its column',
    MismatchedColumn<M, BodyOf<Body>, Exclude<keyof BodyOf<Body> & ColumnName<M>, NotAsSent>>
  >
