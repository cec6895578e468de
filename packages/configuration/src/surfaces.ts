import { SURFACES as SURFACE_NAMES, type Surface as SurfaceName } from './processes.js'

export { SURFACE_NAMES, type SurfaceName }

/** The path prefix of each surface if several are served together. `hub` is the landing page. */
export const SURFACE_PREFIXES: Record<SurfaceName | 'hub', string> = {
  hub: '',
  core: '/core',
  storage: '/storage',
  telemetry: '/telemetry',
  messenger: '/messenger',
  identity: '/auth',
}

/** The public path prefix of a surface; empty if it is served alone. */
export function publicPrefix(surface: SurfaceName, served: readonly SurfaceName[]): string {
  return served.length > 1 ? SURFACE_PREFIXES[surface] : ''
}
