import type { HttpContext } from '@adonisjs/core/http'

import { anyone, loggedIn, type Access } from '#kernel/access'
import { sendJson } from '#http/send_json'
import { docsPage, type DocsPage } from './docs_page.js'
import { documentOf } from './surface_document.js'
import { sendPage } from '#http/page'
import type { Surface, SurfaceRoutes } from '#http/surface'
import type { JsonSchema } from '#kernel/json_schema'
import { appSettings, type AppSettings } from '#settings/app_settings'

type Settings = Pick<AppSettings, 'isProduction' | 'hasDocs'>

const OPENAPI: JsonSchema = {
  type: 'object',
  required: ['openapi', 'info', 'servers', 'paths', 'components'],
  properties: {
    openapi: { type: 'string', pattern: '^3\\.1\\.' },
    info: { type: 'object' },
    servers: { type: 'array', items: { type: 'object' } },
    tags: { type: 'array', items: { type: 'object' } },
    paths: { type: 'object' },
    components: { type: 'object' },
  },
}

/** Whether `/docs` is public in this environment. */
export function docsAreServed({ isProduction, hasDocs }: Settings = appSettings()): boolean {
  return !isProduction || hasDocs
}

/** In production the document requires a login. */
function descriptionAccess({ isProduction }: Settings): Access {
  return isProduction ? loggedIn : anyone
}

/** Registers the documentation of a surface, or of all surfaces of the process if none is given. */
export function docsRoutes(
  routes: SurfaceRoutes,
  surface?: Surface,
  settings: Settings = appSettings()
): void {
  const documentation = new Documentation(surface)
  if (docsAreServed(settings)) {
    routes.get('/docs', (ctx) => documentation.show(ctx), {
      name: 'showDocumentation',
      summary: 'Show this documentation as a page, or as an OpenAPI document if JSON is preferred',
      access: anyone,
      responses: {
        200: {
          description: 'The page, or the OpenAPI document',
          schema: OPENAPI,
          contentType: 'text/html',
        },
      },
    })
  }
  routes.get('/docs/openapi.json', (ctx) => documentation.send(ctx), {
    name: 'readDescription',
    summary: 'Read this documentation as an OpenAPI document',
    access: descriptionAccess(settings),
    responses: { 200: { description: 'The OpenAPI document', schema: OPENAPI } },
  })
}

/** The document and page of a surface, built on first use, when all routes are registered. */
class Documentation {
  readonly #surface: Surface | undefined
  #text: string | undefined
  #page: DocsPage | undefined

  constructor(surface: Surface | undefined) {
    this.#surface = surface
  }

  send(ctx: HttpContext): void {
    this.#text ??= JSON.stringify(documentOf(this.#surface))
    sendJson(ctx, this.#text)
  }

  /** Clients that do not prefer HTML get the document. */
  show(ctx: HttpContext): void {
    ctx.response.append('vary', 'Accept')
    if (ctx.request.accepts(['json', 'html']) !== 'html') {
      return this.send(ctx)
    }
    this.#page ??= docsPage(documentOf(this.#surface))
    sendPage(ctx, this.#page.title, this.#page.content)
  }
}
