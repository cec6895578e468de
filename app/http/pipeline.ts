import type { HttpContext, Server } from '@adonisjs/core/http'
import type { ApplicationService } from '@adonisjs/core/types'
import type { RouteJSON } from '@adonisjs/core/types/http'

type Next = () => Promise<void>
type Step = (ctx: HttpContext) => Promise<void>
type MiddlewareStep = (ctx: HttpContext, next: Next) => Promise<void>

interface MiddlewareModule {
  readonly default: new (...dependencies: any[]) => { handle: MiddlewareStep }
}

/**
 * Composes the middleware of `server.use` with a last step. Each middleware is instantiated once, not per request, and
 * must be stateless.
 */
export async function composeServerMiddleware(
  app: ApplicationService,
  server: Server,
  last: Step
): Promise<Step> {
  const listed = server.getMiddlewareList()
  const instances = await Promise.all(
    listed.map(async ({ reference }) => {
      const { default: Middleware } = await (reference as () => Promise<MiddlewareModule>)()
      return app.container.make(Middleware)
    })
  )
  return compose(
    instances.map(
      (middleware): MiddlewareStep =>
        (ctx, next) =>
          middleware.handle(ctx, next)
    ),
    last
  )
}

/** Composes the middleware of `router.use` and of a route with its handler; most routes have none. */
export function composeRouteMiddleware({ middleware }: RouteJSON, last: Step): Step {
  const passes = [...middleware.all()].map((one): MiddlewareStep =>
    typeof one === 'function'
      ? one
      : (ctx, next) => one.handle(ctx.containerResolver, ctx, next, one.args)
  )
  return compose(passes, last)
}

const compose = (passes: readonly MiddlewareStep[], last: Step): Step =>
  passes.reduceRight<Step>((rest, pass) => (ctx) => pass(ctx, () => rest(ctx)), last)
