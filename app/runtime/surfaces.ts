/**
 * The HTTP surfaces in the order in which they are shown, with the path each has where several are mounted together.
 */
export const SURFACE_NAMES = ['core', 'storage', 'telemetry', 'messenger', 'identity'] as const

export type SurfaceName = (typeof SURFACE_NAMES)[number]

/** `hub` is what stands in front of several surfaces: the landing page and what it links to. */
export const SURFACE_PREFIXES: Record<SurfaceName | 'hub', string> = {
  hub: '',
  core: '/core',
  storage: '/storage',
  telemetry: '/telemetry',
  messenger: '/messenger',
  identity: '/auth',
}

/**
 * The path in front of every surface's routes for somebody outside: none where a surface is served alone.
 */
export function publicPrefix(surface: SurfaceName, served: readonly SurfaceName[]): string {
  return served.length > 1 ? SURFACE_PREFIXES[surface] : ''
}
