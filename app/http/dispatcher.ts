import type { IncomingMessage, ServerResponse } from 'node:http'

import type { HttpContext, Router, Server } from '@adonisjs/core/http'
import type { ApplicationService } from '@adonisjs/core/types'
import type { RouteJSON } from '@adonisjs/core/types/http'

import { JSON_TYPE, UNCACHED } from './send_json.js'
import ExceptionHandler from './exception_handler.js'
import { releaseRawHeaders } from './release_headers.js'
import { composeRouteMiddleware, composeServerMiddleware } from './pipeline.js'
import { BadRequest, envelopeOf, RouteNotFound } from '#kernel/failures'

const badUrl = new BadRequest('The path contains a malformed escape sequence')

type Step = (ctx: HttpContext) => Promise<void>

/**
 * Runs the middleware of `start/kernel.ts` and the handler of the matching route, and ensures a response. It uses the
 * framework's router, request and response, but not its server, which composes the middleware stacks for every request.
 */
export class Dispatcher {
  readonly #app: ApplicationService
  readonly #server: Server
  readonly #router: Router
  readonly #failures: ExceptionHandler
  readonly #routes = new WeakMap<RouteJSON, Step>()
  #run: Step = (ctx) => this.#route(ctx)

  private constructor(app: ApplicationService, server: Server, failures: ExceptionHandler) {
    this.#app = app
    this.#server = server
    this.#router = server.getRouter()
    this.#failures = failures
  }

  static async create(app: ApplicationService): Promise<Dispatcher> {
    const server = await app.container.make('server')
    await server.boot()
    const dispatcher = new Dispatcher(app, server, await app.container.make(ExceptionHandler))
    dispatcher.#run = await composeServerMiddleware(app, server, dispatcher.#run)
    return dispatcher
  }

  readonly handle = (request: IncomingMessage, response: ServerResponse): void => {
    const ctx = this.#contextOf(request, response)
    if (ctx) {
      this.#respond(ctx).catch((error) => destroyConnection(ctx, error))
    } else {
      response.writeHead(badUrl.status, { 'content-type': JSON_TYPE, 'cache-control': UNCACHED })
      response.end(JSON.stringify(envelopeOf(badUrl)))
    }
  }

  #contextOf(request: IncomingMessage, response: ServerResponse): HttpContext | undefined {
    try {
      return this.#server.createHttpContext(
        this.#server.createRequest(request, response),
        this.#server.createResponse(request, response),
        this.#app.container.createResolver()
      )
    } catch (error) {
      if (error instanceof URIError) {
        return undefined
      }
      throw error
    }
  }

  async #respond(ctx: HttpContext): Promise<void> {
    try {
      await this.#run(ctx)
    } catch (error) {
      this.#sendFailure(ctx, error)
    }
    if (ctx.answered) {
      this.#finishLater(ctx, ctx.answered)
    } else {
      ctx.response.finish()
    }
  }

  #finishLater(ctx: HttpContext, answered: Promise<void>): void {
    releaseRawHeaders(ctx.request.request)
    answered
      .catch((error) => this.#sendFailure(ctx, error))
      .then(() => ctx.response.finish())
      .catch((error) => destroyConnection(ctx, error))
  }

  #sendFailure(ctx: HttpContext, error: unknown): void {
    this.#failures.report(error, ctx)
    this.#failures.handle(error, ctx)
  }

  async #route(ctx: HttpContext): Promise<void> {
    const { request } = ctx
    const method = request.method()
    const found = this.#router.match(request.url(), method, request.parsedUrl.shouldDecodeParam)
    if (!found) {
      throw new RouteNotFound(method)
    }
    ctx.params = found.params
    ctx.route = found.route
    ctx.routeKey = found.routeKey
    await this.#handlerOf(found.route)(ctx)
  }

  #handlerOf(route: RouteJSON): Step {
    let handler = this.#routes.get(route)
    if (!handler) {
      handler = composeRouteMiddleware(
        route,
        async (ctx) => void (await (route.handler as Handler)(ctx))
      )
      this.#routes.set(route, handler)
    }
    return handler
  }
}

type Handler = (ctx: HttpContext) => unknown

function destroyConnection({ logger, response }: HttpContext, error: unknown): void {
  logger.fatal({ err: error }, 'a request could not be answered with an error')
  response.response.destroy()
}
