import type { Server } from '@adonisjs/core/http'
import type { ApplicationService } from '@adonisjs/core/types'

interface MiddlewareModule {
  readonly default: new (...dependencies: any[]) => {
    handle: (...passed: unknown[]) => unknown
  }
}

/**
 * Makes each middleware of `server.use` once, for all requests: the framework makes them again for each, which costs
 * more than all that they do. They must not keep anything of a request. The server must have been booted.
 */
export async function shareMiddleware(
  server: Server,
  container: ApplicationService['container']
): Promise<void> {
  const listed = server.getMiddlewareList().map(async (middleware) => {
    const { default: Middleware } = await (
      middleware.reference as () => Promise<MiddlewareModule>
    )()
    const shared = await container.make(Middleware)
    middleware.handle = async (_, ...passed) => shared.handle(...passed)
  })
  await Promise.all(listed)
}
