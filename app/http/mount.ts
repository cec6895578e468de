import type { HttpContext, Router } from '@adonisjs/core/http'

import { enforce } from '#kernel/access'
import { catalogue } from './route_catalogue.js'
import { readBody } from './read_body.js'
import { SurfaceRoutes, type DeclaredRoute, type Handler, type Surface } from './surface.js'
import { SURFACE_PREFIXES } from '#configuration/surfaces'

/** Registers the routes of a surface under its prefix and in the catalogue. */
export function mountSurface(router: Router, surface: Surface): void {
  const prefix = SURFACE_PREFIXES[surface.name]
  const routes = new SurfaceRoutes()
  surface.routes(routes)
  catalogue.add(surface, routes.declared)
  const group = router.group(() => {
    routes.declared.forEach((route) => register(router, surface, route))
  })
  if (prefix) {
    group.prefix(prefix)
  }
}

function register(router: Router, surface: Surface, route: DeclaredRoute): void {
  const { method, path, operation } = route
  router
    .route(path, method === 'GET' ? ['GET', 'HEAD'] : [method], translatingHandler(surface, route))
    .as(`${surface.name}.${operation.name}`)
}

function translatingHandler(surface: Surface, route: DeclaredRoute): Handler {
  const enter = guardedHandler(surface, route)
  const { translateError } = route.operation
  if (!translateError) {
    return enter
  }
  return async (ctx) => {
    try {
      return await enter(ctx)
    } catch (error) {
      throw translateError(error, ctx)
    }
  }
}

/** Checks access before the handler runs. The body of a rejected request is not read. */
function guardedHandler(
  { onCaller }: Surface,
  { method, operation, handler }: DeclaredRoute
): Handler {
  const { access, entry = access, verbatim, maxBodyBytes } = operation
  const authorize = (ctx: HttpContext) => {
    enforce(entry, ctx.actor)
    return onCaller?.(ctx)
  }
  if (method === 'POST' && !operation.rawBody) {
    return async (ctx) => {
      await authorize(ctx)
      await readBody(ctx, verbatim, maxBodyBytes)
      return handler(ctx)
    }
  }
  return (ctx) => {
    const pending = authorize(ctx)
    return pending ? pending.then(() => handler(ctx)) : handler(ctx)
  }
}
