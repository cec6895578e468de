import BodyParserMiddleware from '@adonisjs/core/bodyparser_middleware'
import type { HttpContext, Router } from '@adonisjs/core/http'

import { enforce } from '#http/access'
import { catalogue } from '#http/catalogue'
import { RequestTimeout } from '#http/failures'
import { SurfaceRoutes, type DeclaredRoute, type Handler, type Surface } from '#http/surface'
import { SURFACE_PREFIXES } from '#runtime/surfaces'

/** Bodies that are read before their handler are small. */
const BODY_WITHIN_MS = 60_000

/**
 * Puts the routes of a surface behind its prefix and into the catalogue.
 */
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
    .route(path, method === 'GET' ? ['GET', 'HEAD'] : [method], behindDoor(surface, route))
    .as(`${surface.name}.${operation.name}`)
}

/** The handler, behind what the route asks of its caller. Nobody's body is read who may not come in. */
function behindDoor(
  { notesCaller }: Surface,
  { method, operation, handler }: DeclaredRoute
): Handler {
  const { access, entry = access } = operation
  const letIn = (ctx: HttpContext) => {
    enforce(entry, ctx.actor)
    return notesCaller?.(ctx)
  }
  if (method === 'POST' && !operation.takes) {
    return async (ctx) => {
      await letIn(ctx)
      await parseBody(ctx)
      return handler(ctx)
    }
  }
  return (ctx) => {
    const noting = letIn(ctx)
    return noting ? noting.then(() => handler(ctx)) : handler(ctx)
  }
}

let parser: BodyParserMiddleware | undefined

async function parseBody(ctx: HttpContext): Promise<void> {
  parser ??= await ctx.containerResolver.make(BodyParserMiddleware)
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new RequestTimeout()), BODY_WITHIN_MS)
  try {
    await Promise.race([parser.handle(ctx, async () => {}), late])
  } finally {
    clearTimeout(timer)
  }
}
