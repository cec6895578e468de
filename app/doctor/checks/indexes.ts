import type { SurfaceName } from '#configuration/surfaces'
import type { Check } from '#doctor/check'
import { eachDatabase } from '#doctor/each_database'
import { finding, type Finding } from '#doctor/finding'
import type { Database } from '#doctor/check_context'
import { columnOf } from '#query/sql/identifiers'
import { declaredKinds, type Kind } from '#records/kind'

interface Index {
  readonly table: string
  readonly name: string
  readonly isValid: boolean
  /** The first indexed expression, as SQL. */
  readonly first: string
}

const INDEXES = `select t.relname as table, i.relname as name, x.indisvalid and x.indisready as "isValid",
    pg_get_indexdef(x.indexrelid, 1, true) as first
  from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class t on t.oid = x.indrelid
  join pg_namespace n on n.oid = t.relnamespace where n.nspname = current_schema()`

/** Checks that lists have their indexes. */
export const indexesCheck: Check = {
  name: 'indexes',
  async run(context) {
    await declareAll()
    return eachDatabase(context, checkIndexes)
  },
}

async function checkIndexes({ pool, surfaces, name }: Database): Promise<Finding[]> {
  const { rows } = await pool.query<Index>(INDEXES)
  const invalid = rows
    .filter(({ isValid }) => !isValid)
    .map((index) => finding('DATABASE_INDEX_INVALID', `${index.name} of ${index.table} (${name})`))
  const kinds = declaredKinds().filter(({ model }) =>
    surfaces.includes(model.connection as SurfaceName)
  )
  return [...invalid, ...kinds.flatMap((kind) => missing(kind, rows))]
}

/** Missing tables are reported by the migrations check. */
function missing(kind: Kind, indexes: readonly Index[]): Finding[] {
  const own = indexes.filter(({ table }) => table === kind.table)
  if (own.length === 0) {
    return []
  }
  const indexed = new Set(
    own.filter(({ isValid }) => isValid).map(({ first }) => leadingColumn(first))
  )
  const wanted = new Set(
    kind.declaration.indexes?.map(([name]) => columnOf(name!, kind.columns[name!]!))
  )
  return [...wanted.difference(indexed)].map((column) =>
    finding('DATABASE_INDEX_MISSING', `${kind.table} by ${column}`)
  )
}

const leadingColumn = (expression: string) => /^(?:lower\(\(?)?"?(\w+)/.exec(expression)?.[1] ?? ''

/** Kinds are declared when their files are loaded, which the routes do. */
async function declareAll(): Promise<void> {
  await Promise.all([
    import('#core/routes'),
    import('#storage/routes'),
    import('#telemetry/routes'),
    import('#identity/routes'),
  ])
}
