import { loggedIn } from '#kernel/access'
import { MethodNotAllowed } from '#kernel/failures'
import type { SurfaceRoutes } from '#http/surface'
import type { Kind } from './kind.js'

/** Responds with 405 and a reason to attempts to create a record of a read-only kind. */
export function readOnlyRoute(routes: SurfaceRoutes, kind: Kind, reason: string): void {
  routes.post(
    kind.collection,
    () => {
      throw new MethodNotAllowed(reason, ['GET', 'HEAD'])
    },
    {
      name: `refuse${kind.name.charAt(0).toUpperCase()}${kind.name.slice(1)}`,
      summary: reason,
      access: loggedIn,
      responses: { 405: { description: reason } },
    }
  )
}
