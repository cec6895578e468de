import { surfacesOf } from '#configuration/processes'
import type { SurfaceName } from '#configuration/surfaces'
import { databaseUrl } from '#database/addresses'
import { env } from '#start/env'

/** A database of this installation, and the surfaces that keep their tables in it. */
export interface DatabaseAddress {
  readonly surfaces: readonly SurfaceName[]
  readonly url: string
}

/** Every database of the surfaces that this process works for, once. */
export function ownDatabases(): DatabaseAddress[] {
  const byUrl = Map.groupBy(surfacesOf(env), databaseUrl)
  return [...byUrl].map(([url, surfaces]) => ({ surfaces, url }))
}

/** What a database is called in sentences. */
export const nameOf = ({ surfaces }: Pick<DatabaseAddress, 'surfaces'>): string =>
  surfaces.join(', ')
