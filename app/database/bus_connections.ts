import { databaseUrl } from './addresses.js'
import type { SurfaceName } from '#configuration/surfaces'

/** The Lucid connection that migrates the bus tables in the database of a surface. */
export function busConnection(surface: SurfaceName): string {
  return `${surface}_bus`
}

/** One surface per distinct database: surfaces that share a database share its bus tables. */
export function databaseOwners(surfaces: readonly SurfaceName[]): SurfaceName[] {
  const owners = new Map<string, SurfaceName>()
  for (const surface of surfaces) {
    const url = databaseUrl(surface)
    owners.set(url, owners.get(url) ?? surface)
  }
  return [...owners.values()]
}

/** The table that records the migrations of a folder. */
export const migrationTable = (folder: SurfaceName | 'bus'): string => `${folder}_migrations`
