import { SURFACES as SURFACE_NAMES, type Surface as SurfaceName } from './processes.js'

export { SURFACE_NAMES, type SurfaceName }

/**
 * The path each surface has where several are mounted together. `hub` is what stands in front of them: the landing page
 * and what it links to.
 */
export const SURFACE_PREFIXES: Record<SurfaceName | 'hub', string> = {
  hub: '',
  core: '/core',
  storage: '/storage',
  telemetry: '/telemetry',
  messenger: '/messenger',
  identity: '/auth',
}

/**
 * The path in front of a surface's routes as it is seen from outside: none where a surface is served alone.
 */
export function publicPrefix(surface: SurfaceName, served: readonly SurfaceName[]): string {
  return served.length > 1 ? SURFACE_PREFIXES[surface] : ''
}
