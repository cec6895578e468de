import type { Surface, SurfaceRoutes } from '#http/surface'

export const docsAreServed = () => false
export function docsRoutes(_routes: SurfaceRoutes, _surface?: Surface): void {}
