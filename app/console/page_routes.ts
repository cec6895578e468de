import type { HttpContext } from '@adonisjs/core/http'

import { anyone, inSession } from '#kernel/access'
import type { Handler, ResponseDeclaration, SurfaceRoutes } from '#http/surface'
import { PageRunner, type PageHandler, type StreamHandler } from './page_runner.js'

const PAGE: ResponseDeclaration = {
  description: 'The page',
  contentType: 'text/html; charset=utf-8',
}
const REDIRECT: ResponseDeclaration = {
  description: 'A redirect to another page, or to the login',
  headers: { location: 'The page' },
}

/** Declares pages and the actions of their forms. The session in the cookie decides who may see what. */
export class PageRoutes {
  readonly #routes: SurfaceRoutes

  constructor(routes: SurfaceRoutes) {
    this.#routes = routes
  }

  page(path: string, name: string, summary: string, handler: PageHandler): this {
    this.#routes.get(path, running('show', handler), {
      name,
      summary,
      access: inSession,
      responses: { 200: PAGE, 303: REDIRECT, 404: PAGE },
    })
    return this
  }

  action(path: string, name: string, summary: string, handler: PageHandler): this {
    this.#routes.post(path, running('act', handler), {
      name,
      summary,
      access: inSession,
      responses: { 303: REDIRECT, 401: PAGE, 403: PAGE },
    })
    return this
  }

  /** Declares the download of a file, which may take long. */
  download(path: string, name: string, summary: string, handler: PageHandler): this {
    this.#routes.get(path, running('download', handler), {
      name,
      summary,
      access: inSession,
      responses: {
        200: { description: 'The file', contentType: 'application/octet-stream' },
        303: REDIRECT,
        404: PAGE,
      },
    })
    return this
  }

  /** Declares a stream of events for the script of a page. */
  stream(path: string, name: string, summary: string, handler: StreamHandler): this {
    const run = async (ctx: HttpContext) => {
      const runner = await ctx.containerResolver.make(PageRunner)
      await runner.stream(ctx, handler)
    }
    this.#routes.get(path, run, {
      name,
      summary,
      access: inSession,
      responses: {
        200: { description: 'Server-sent events', contentType: 'text/event-stream; charset=utf-8' },
        401: { description: 'The session has ended' },
      },
    })
    return this
  }

  /** Declares a page that needs no session. */
  open(path: string, name: string, summary: string, handler: Handler): this {
    this.#routes.get(path, handler, {
      name,
      summary,
      access: anyone,
      responses: { 200: PAGE, 303: REDIRECT, 400: PAGE, 404: PAGE },
    })
    return this
  }
}

function running(way: 'show' | 'act' | 'download', handler: PageHandler): Handler {
  return async (ctx: HttpContext) => {
    const runner = await ctx.containerResolver.make(PageRunner)
    await runner[way](ctx, handler)
  }
}
