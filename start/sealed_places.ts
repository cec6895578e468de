import { surfacesOf } from '#configuration/processes'
import type { SurfaceName } from '#configuration/surfaces'
import { databaseUrl } from '#database/addresses'
import { databaseOwners } from '#database/bus_connections'
import type { DatabasePool } from '#database/database_pool'
import { pools } from '#database/pools'
import { OUTBOX_SEALED_COLUMNS } from '#outbox/payloads/sealed_columns'
import type { SealedColumn } from '#records/resealing'
import { env } from './env.js'

/** The encrypted columns of each surface, loaded on demand. */
const PLACES: Partial<Record<SurfaceName, () => Promise<readonly SealedColumn[]>>> = {
  core: async () => {
    const { SEALED_COLUMNS } = await import('#core/registries/sealed_columns')
    return SEALED_COLUMNS
  },
  identity: async () => {
    const { IDENTITY_SEALED_COLUMNS } = await import('#identity/embedded/sealed_columns')
    return IDENTITY_SEALED_COLUMNS
  },
}

/** All columns of this process's databases that are encrypted with the application key. */
export async function sealedPlaces(): Promise<{ pool: DatabasePool; place: SealedColumn }[]> {
  const surfaces = surfacesOf(env)
  const found = await Promise.all(
    surfaces.map(async (surface) => placesIn(surface, (await PLACES[surface]?.()) ?? []))
  )
  const waiting = databaseOwners(surfaces).flatMap((owner) =>
    placesIn(owner, OUTBOX_SEALED_COLUMNS)
  )
  return [...found.flat(), ...waiting]
}

function placesIn(surface: SurfaceName, places: readonly SealedColumn[]) {
  const pool = pools.for(databaseUrl(surface))
  return places.map((place) => ({ pool, place }))
}
