import { databaseUrl } from './addresses.js'
import type { SurfaceName } from '#configuration/surfaces'

/** The connection over which the tables of the bus are brought up to date in the database of a surface. */
export function busConnection(surface: SurfaceName): string {
  return `${surface}_bus`
}

/** One surface for each distinct database: the tables of the bus stand once in each, however many share it. */
export function databaseOwners(surfaces: readonly SurfaceName[]): SurfaceName[] {
  const owners = new Map<string, SurfaceName>()
  for (const surface of surfaces) {
    const url = databaseUrl(surface)
    owners.set(url, owners.get(url) ?? surface)
  }
  return [...owners.values()]
}

/** Where a database notes which migrations of a folder were made. */
export const migrationTable = (folder: SurfaceName | 'bus'): string => `${folder}_migrations`
