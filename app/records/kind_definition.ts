import type { Access } from '#kernel/access'
import type { Actor } from '#kernel/actor'
import type { BodyOf, BodyValidator } from '#kernel/body'
import type { SqlCondition } from '#query/condition'
import type { Direction } from '#query/declaration'
import type { Audit } from './audit.js'
import type { ModelClass } from './model.js'
import type { Attributes, ColumnName, RelationName, Row } from './row.js'

export type AnyBody = BodyValidator<Attributes>

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
  /** Whether `fields` chooses what is answered; records are answered whole where it does not. */
  readonly choosesFields?: boolean
  /** Whether `meta.schema` names the allowed fields, or leaves it at the default ones. */
  readonly namesAllowedFields?: boolean
  /** The column with the realm whose members may write the record; records of no realm are everybody's. */
  readonly realm?: ColumnName<M>
  /** Texts whose combinations have totals that are kept, so that lists which ask for one of each need not be counted. */
  readonly totalsBy?: readonly ColumnName<M>[]
  /** The columns with the realms that receive changes; the realm's where they are left out. */
  readonly audience?: readonly ColumnName<M>[]
  /** The attribute of an update that `If-Match` stands for, where a change may be made for one version of something only. */
  readonly precondition?: string
  /** What of its changes is audited, and how long that is kept; `AUDITED` where it is left out. */
  readonly audit?: Partial<Audit<ColumnName<M>>>
  readonly access: {
    readonly read?: Access
    readonly create?: Access
    readonly update?: Access
    readonly remove?: Access
  }
  /** What a caller who is not logged in sees of a record; for kinds that everybody may read, which is not the rule. */
  readonly openFields?: readonly ColumnName<M>[]
  /** Whether a record that others use is removed only where the caller says `force`. */
  readonly forcible?: boolean
  /** Bodies are checked before permissions, unless a kind says otherwise. */
  readonly permissionFirst?: boolean
  /** The largest body of a creation; a mebibyte where nothing is said. */
  readonly maxBodyBytes?: number
  /** Who sees the secret columns; nobody where it is left out. */
  readonly reveals?: (actor: Actor) => boolean | SqlCondition
}

type CompileError<What extends string, Names> = [Names] extends [never]
  ? unknown
  : { readonly [Name in What]: Names }

/** What a body says in another type than its column has. The service turns null into what stands for it. */
type MismatchedColumn<M extends ModelClass, Body, Names extends keyof Body & ColumnName<M>> = {
  [Name in Names]: NonNullable<Body[Name]> extends Row<M>[Name] ? never : Name
}[Names]

/** A body all of which is kept, by columns of the model that fit or as the kind says. */
export type StoredBody<M extends ModelClass, Body extends AnyBody, NotAsSent> = CompileError<
  'what no column keeps',
  Exclude<keyof BodyOf<Body>, ColumnName<M> | NotAsSent>
> &
  CompileError<
    'what does not fit its column',
    MismatchedColumn<M, BodyOf<Body>, Exclude<keyof BodyOf<Body> & ColumnName<M>, NotAsSent>>
  >
