import type { IncomingMessage, ServerResponse } from 'node:http'

import type { HttpContext, Router, Server } from '@adonisjs/core/http'
import type { ApplicationService } from '@adonisjs/core/types'

import { JSON_TYPE } from '#http/answer'
import { Entrance } from '#http/entrance'
import { ExceptionHandler } from '#http/exception_handler'
import { BadRequest, envelopeOf, RouteNotFound } from '#kernel/failures'

const badUrl = new BadRequest('The path holds a malformed escape sequence')

/**
 * Takes a request to its route and sees to it that it is answered. It uses the framework's router, request and response,
 * and stands in for its server, whose stacks of middleware and containers cost every request more than the routes do.
 */
export class Dispatcher {
  readonly #app: ApplicationService
  readonly #server: Server
  readonly #router: Router
  readonly #entrance: Entrance
  readonly #failures = new ExceptionHandler()

  private constructor(app: ApplicationService, server: Server, entrance: Entrance) {
    this.#app = app
    this.#server = server
    this.#router = server.getRouter()
    this.#entrance = entrance
  }

  static async of(app: ApplicationService): Promise<Dispatcher> {
    const server = await app.container.make('server')
    await server.boot()
    return new Dispatcher(app, server, await app.container.make(Entrance))
  }

  readonly handle = (request: IncomingMessage, response: ServerResponse): void => {
    const ctx = this.#contextOf(request, response)
    if (ctx) {
      this.#answer(ctx).catch((error) => {
        ctx.logger.fatal({ err: error }, 'a request could not even be refused')
        response.destroy()
      })
    } else {
      response.writeHead(badUrl.status, { 'content-type': JSON_TYPE })
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

  async #answer(ctx: HttpContext): Promise<void> {
    try {
      await this.#entrance.handle(ctx, () => this.#route(ctx))
    } catch (error) {
      this.#failures.report(error, ctx)
      this.#failures.handle(error, ctx)
    }
    ctx.response.finish()
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
    await (found.route.handler as Handler)(ctx)
  }
}

type Handler = (ctx: HttpContext) => unknown
