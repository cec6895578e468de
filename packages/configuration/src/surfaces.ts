import { SURFACES as SURFACE_NAMES, type Served, type Surface as SurfaceName } from './processes.js'

export { SURFACE_NAMES, type Served, type SurfaceName }

/** The path prefix of each surface if several are served together. `hub` is the landing page. */
export const SURFACE_PREFIXES: Record<Served | 'hub', string> = {
  hub: '',
  core: '/core',
  storage: '/storage',
  telemetry: '/telemetry',
  messenger: '/messenger',
  identity: '/auth',
  console: '/admin',
}

/** The public path prefix of a surface; empty if it is served alone. */
export function publicPrefix(surface: Served, served: readonly Served[]): string {
  return served.length > 1 ? SURFACE_PREFIXES[surface] : ''
}
