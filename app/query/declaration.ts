/** The storage type of a column, which determines how filter values are parsed and values printed. */
export type ColumnType =
  'uuid' | 'text' | 'boolean' | 'integer' | 'bigint' | 'number' | 'timestamp' | 'json' | 'jsonText'

export type Direction = 'ASC' | 'DESC'

/** A value that the database computes per row. `sql` gets the quoted alias of the row. */
interface ComputedColumn {
  readonly sql: (row: string) => string
  /** The stored columns that the expression reads, so that pages include them. */
  readonly columns: readonly string[]
}

export interface Property {
  readonly type: ColumnType
  /** Defaults to the wire name in snake_case. */
  readonly column?: string
  readonly nullable?: boolean
  /** Never filterable or sortable, and omitted from answers unless it is revealed to the caller. */
  readonly secret?: boolean
  /** Available to server conditions, but not part of the record. */
  readonly internal?: boolean
  readonly computed?: ComputedColumn
}

/** The query vocabulary of a kind: everything that decoding and `meta.schema` need. */
export interface Vocabulary {
  readonly name: string
  /** Whether an undeclared list allows nothing (the default) or every well-formed name. */
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
    /** The relations that `include` accepts, in the order in which they are listed. */
    readonly allowed?: readonly string[]
    /** All relations of the kind; filter, sort and fields may traverse each of them. */
    readonly links?: Readonly<Record<string, VocabularyLink>>
  }
}

export interface VocabularyLink {
  /** A function, since kinds may reference each other. */
  readonly target: () => Vocabulary
}

/** A vocabulary with a table, so that queries can be executed. */
export interface Declaration extends Vocabulary {
  readonly table: string
  /** The property that identifies a record; defaults to `id`. */
  readonly primaryKey?: string
  readonly properties: Readonly<Record<string, Property>>
  /**
   * The maintained totals of the table: per value of `realm` and, with `groups`, per combination of the values of these
   * text properties, which are compared case-insensitively.
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
