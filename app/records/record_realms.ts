import type { SurfaceName } from '#configuration/surfaces'
import { databaseUrl } from '#database/addresses'
import { pools } from '#database/pools'
import { columnOf, quoteName } from '#query/sql/identifiers'
import { declaredKinds, type Kind } from './kind.js'

/**
 * Finds the realms of a record by its lowercase kind and its id. A null entry stands for no realm; undefined means that
 * the record does not exist.
 */
export type FindRealms = (
  kind: string,
  id: string
) => Promise<readonly (string | null)[] | undefined>

/** The realms of a record in the databases of this process. */
export const findRealms: FindRealms = async (name, id) => {
  const kind = declaredKinds().find((candidate) => candidate.name.toLowerCase() === name)
  return kind && realmsIn(kind, id)
}

async function realmsIn(kind: Kind, id: string): Promise<(string | null)[] | undefined> {
  const names = kind.realm === undefined ? kind.audience : [kind.realm]
  const columns = names.map((name) => `${quoteName(columnOf(name, kind.columns[name]!))}::text`)
  const pool = pools.for(databaseUrl(kind.model.connection as SurfaceName))
  const { rows } = await pool.read<{ realms: (string | null)[] }>({
    name: `realms-of-${kind.label}`,
    text: `select array[${columns.join() || 'null'}] as realms from ${quoteName(kind.table)} where id = $1`,
    values: [id],
  })
  return rows[0]?.realms
}
