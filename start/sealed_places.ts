import { surfacesOf } from '#configuration/processes'
import type { SurfaceName } from '#configuration/surfaces'
import { databaseUrl } from '#database/addresses'
import { databaseOwners } from '#database/bus_connections'
import type { DatabasePool } from '#database/database_pool'
import { pools } from '#database/pools'
import { SEALED_PLACES } from '#outbox/payloads/sealed_places'
import type { SealedPlace } from '#records/resealing'
import { env } from './env.js'

/** What each surface keeps sealed; loaded only where it is looked for. */
const PLACES: Partial<Record<SurfaceName, () => Promise<readonly SealedPlace[]>>> = {
  core: async () => {
    const { KEPT_SECRETS } = await import('#core/registries/kept_secrets')
    return KEPT_SECRETS
  },
  identity: async () => {
    const { SEALED_PLACES: ofClients } = await import('#identity/embedded/sealed_places')
    return ofClients
  },
}

/** Everything that the databases of this process's surfaces hold under the application key. */
export async function sealedPlaces(): Promise<{ pool: DatabasePool; place: SealedPlace }[]> {
  const surfaces = surfacesOf(env)
  const found = await Promise.all(
    surfaces.map(async (surface) => placesIn(surface, (await PLACES[surface]?.()) ?? []))
  )
  const waiting = databaseOwners(surfaces).flatMap((owner) => placesIn(owner, SEALED_PLACES))
  return [...found.flat(), ...waiting]
}

function placesIn(surface: SurfaceName, places: readonly SealedPlace[]) {
  const pool = pools.for(databaseUrl(surface))
  return places.map((place) => ({ pool, place }))
}
