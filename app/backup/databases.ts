import { surfacesOf } from '#configuration/processes'
import type { SurfaceName } from '#configuration/surfaces'
import { databaseUrl } from '#database/addresses'
import { env } from '#start/env'

/** A database of this installation and the surfaces that use it. */
export interface DatabaseAddress {
  readonly surfaces: readonly SurfaceName[]
  readonly url: string
}

/** The distinct databases of the surfaces of this process. */
export function ownDatabases(): DatabaseAddress[] {
  const byUrl = Map.groupBy(surfacesOf(env), databaseUrl)
  return [...byUrl].map(([url, surfaces]) => ({ surfaces, url }))
}

/** Name for messages. */
export const nameOf = ({ surfaces }: Pick<DatabaseAddress, 'surfaces'>): string =>
  surfaces.join(', ')
