import type { SurfaceName } from '#configuration/surfaces'
import { databaseUrl } from '#database/addresses'
import { appSettings } from '#settings/app_settings'

/** A database of this installation and the surfaces that use it. */
export interface DatabaseAddress {
  readonly surfaces: readonly SurfaceName[]
  readonly url: string
}

/** The distinct databases of the surfaces of this process. */
export function ownDatabases(): DatabaseAddress[] {
  const byUrl = Map.groupBy(appSettings().surfaces, databaseUrl)
  return [...byUrl].map(([url, surfaces]) => ({ surfaces, url }))
}

/** Name for messages. */
export const nameOf = ({ surfaces }: Pick<DatabaseAddress, 'surfaces'>): string =>
  surfaces.join(', ')
