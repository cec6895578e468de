/** How a column is stored, which decides how a filter value is read and how the value is printed. */
export type ColumnType =
  'uuid' | 'text' | 'boolean' | 'integer' | 'bigint' | 'number' | 'timestamp' | 'json' | 'jsonText'

export type Direction = 'ASC' | 'DESC'

/** A value the database works out per row. `sql` gets the quoted alias of the row it stands on. */
export interface ComputedColumn {
  readonly sql: (row: string) => string
  /** The stored columns the expression reads, so that a page carries them along. */
  readonly columns: readonly string[]
}

export interface Property {
  readonly type: ColumnType
  /** Defaults to the wire name in snake_case. */
  readonly column?: string
  readonly nullable?: boolean
  /** Never filterable or sortable, and left out of every answer unless the caller reveals it. */
  readonly secret?: boolean
  /** Known to conditions the server adds, but not part of the record. */
  readonly internal?: boolean
  readonly computed?: ComputedColumn
}

/** The words a client may use on one kind: all that decoding and `meta.schema` need. */
export interface Vocabulary {
  readonly name: string
  /** Whether a list that is not declared accepts nothing (the default) or every well-formed name. */
  readonly strict?: boolean
  readonly indexes?: readonly (readonly string[])[]
  readonly fields?: {
    readonly default?: readonly string[]
    readonly allowed?: readonly string[]
  }
  readonly filters?: {
    readonly allowed?: readonly string[]
    /** Whether a filter must touch the head of an index. Defaults to whether indexes are declared. */
    readonly indexed?: boolean
  }
  readonly sorts?: {
    readonly allowed?: readonly string[]
    readonly default?: Readonly<Record<string, Direction>>
    /** Whether sort keys must follow an index. Defaults to whether indexes are declared. */
    readonly indexed?: boolean
  }
  readonly pagination?: { readonly maxLimit?: number }
  readonly relations?: {
    /** What `include` takes, in the order it is advertised. */
    readonly allowed?: readonly string[]
    /** Every relation the kind really has: filter, sort and fields may go through all of them. */
    readonly links?: Readonly<Record<string, VocabularyLink>>
  }
}

export interface VocabularyLink {
  /** A function, because kinds may name each other in a circle. */
  readonly target: () => Vocabulary
}

/** A vocabulary that is backed by a table, so that a query can be run. */
export interface Declaration extends Vocabulary {
  readonly table: string
  /** The property that identifies a record; defaults to `id`. */
  readonly primaryKey?: string
  readonly properties: Readonly<Record<string, Property>>
  /**
   * Where the totals of the table are kept: `realm` is the property whose values they are kept by. With `groups`, they are kept for
   * each combination of their values as well; these are texts, which are asked for without regard to case.
   */
  readonly totals?: { readonly realm?: string; readonly groups?: readonly string[] }
  readonly relations?: {
    readonly allowed?: readonly string[]
    readonly links?: Readonly<Record<string, Link>>
  }
}

/** A relation to at most one record: `local` names a property here, `foreign` a unique one there. */
export interface Link extends VocabularyLink {
  readonly target: () => Declaration
  readonly local: string
  readonly foreign: string
}
