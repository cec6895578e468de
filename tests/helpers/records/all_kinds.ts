import core from '#core/routes'
import identity from '#identity/routes'
import messenger from '#messenger/routes'
import storage from '#storage/routes'
import telemetry from '#telemetry/routes'
import { SurfaceRoutes } from '#http/surface'
import { declaredKinds, type Kind } from '#records/kind'
import type { SurfaceName } from '#configuration/surfaces'

const SURFACES = [core, storage, telemetry, messenger, identity]

export interface ServedKind {
  kind: Kind
  surface: SurfaceName
}

/** Every kind of the platform with the surface that serves it; a new kind is among them without being named. */
export const allKinds: readonly ServedKind[] = SURFACES.flatMap((surface) => {
  const routes = new SurfaceRoutes()
  surface.routes(routes)
  const paths = new Set(routes.declared.map(({ path }) => path))
  return declaredKinds()
    .filter(({ collection }) => paths.has(collection))
    .map((kind) => ({ kind, surface: surface.name as SurfaceName }))
})
