import type { HttpContext, Router } from '@adonisjs/core/http'

import { enforce } from '#http/access'
import { catalogue } from '#http/catalogue'
import { SurfaceRoutes, type DeclaredRoute, type Operation, type Surface } from '#http/surface'
import { SURFACE_PREFIXES } from '#runtime/surfaces'

/**
 * Puts the routes of a surface behind its prefix and into the catalogue.
 */
export function mountSurface(router: Router, surface: Surface): void {
  const parseBody = bodyParser(router)
  const prefix = SURFACE_PREFIXES[surface.name]
  const routes = new SurfaceRoutes()
  surface.routes(routes)
  catalogue.add(surface, routes.declared)
  const group = router.group(() => {
    routes.declared.forEach((route) => register(router, surface, route, parseBody))
  })
  if (prefix) {
    group.prefix(prefix)
  }
}

function register(
  router: Router,
  surface: Surface,
  route: DeclaredRoute,
  parseBody: ReturnType<typeof bodyParser>
): void {
  const { method, path, operation, handler } = route
  const registered = router
    .route(path, method === 'GET' ? ['GET', 'HEAD'] : [method], handler)
    .as(`${surface.name}.${operation.name}`)
    .use(door(operation))
  if (method === 'POST') {
    registered.use(parseBody)
  }
}

function door({ access, entry = access }: Operation) {
  return function enter({ actor }: HttpContext, next: () => Promise<void>) {
    enforce(entry, actor)
    return next()
  }
}

function bodyParser(router: Router) {
  return router.named({ body: () => import('@adonisjs/core/bodyparser_middleware') }).body()
}
