import type { HttpContext, Server } from '@adonisjs/core/http'
import type { ApplicationService } from '@adonisjs/core/types'
import type { RouteJSON } from '@adonisjs/core/types/http'

type Next = () => Promise<void>
type Step = (ctx: HttpContext) => Promise<void>
type Pass = (ctx: HttpContext, next: Next) => Promise<void>

interface MiddlewareModule {
  readonly default: new (...dependencies: any[]) => { handle: Pass }
}

/**
 * What `server.use` lists, in front of a last step. Each middleware is made once, by the container, not once for each request:
 * it keeps nothing of a request in itself.
 */
export async function throughServerMiddleware(
  app: ApplicationService,
  server: Server,
  last: Step
): Promise<Step> {
  const listed = server.getMiddlewareList()
  const made = await Promise.all(
    listed.map(async ({ reference }) => {
      const { default: Middleware } = await (reference as () => Promise<MiddlewareModule>)()
      return app.container.make(Middleware)
    })
  )
  return inFrontOf(
    made.map(
      (middleware): Pass =>
        (ctx, next) =>
          middleware.handle(ctx, next)
    ),
    last
  )
}

/** What `router.use` and a route itself list, in front of its handler; most routes have none. */
export function throughRouteMiddleware({ middleware }: RouteJSON, last: Step): Step {
  const passes = [...middleware.all()].map((one): Pass =>
    typeof one === 'function'
      ? one
      : (ctx, next) => one.handle(ctx.containerResolver, ctx, next, one.args)
  )
  return inFrontOf(passes, last)
}

const inFrontOf = (passes: readonly Pass[], last: Step): Step =>
  passes.reduceRight<Step>((rest, pass) => (ctx) => pass(ctx, () => rest(ctx)), last)
