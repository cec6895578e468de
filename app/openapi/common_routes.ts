import type { HttpContext } from '@adonisjs/core/http'

import { anyone } from '#kernel/access'
import { sendJson } from '#http/send_json'
import { docsRoutes } from './docs_routes.js'
import { readiness } from '#http/readiness'
import type { Surface, SurfaceRoutes } from '#http/surface'
import type { JsonSchema } from '#kernel/json_schema'
import { clock } from '#kernel/clock'
import { COMMIT, VERSION } from '#kernel/version'
import { appSettings } from '#settings/app_settings'

export const METADATA: JsonSchema = {
  type: 'object',
  required: ['version', 'timestamp'],
  properties: { version: { type: 'string' }, timestamp: { type: 'integer' } },
}

const HEALTH: JsonSchema = {
  type: 'object',
  required: ['status'],
  properties: { status: { const: 'ok' } },
}

const READINESS: JsonSchema = {
  type: 'object',
  required: ['status'],
  properties: {
    status: { enum: ['ok', 'degraded'] },
    degraded: {
      type: 'array',
      description: 'Unavailable dependencies that most requests do not need',
      items: {
        type: 'object',
        required: ['name', 'reason'],
        properties: { name: { type: 'string' }, reason: { type: 'string' } },
      },
    },
  },
}

/** The routes of every surface: version, health and documentation. */
export function commonRoutes(routes: SurfaceRoutes, surface: Surface): void {
  routes.get('/', sendMetadata, {
    name: 'readMetadata',
    summary: `Read the version and the time of the ${surface.name} service`,
    access: anyone,
    responses: {
      200: {
        description: 'The version, and the time in milliseconds since 1970',
        schema: METADATA,
      },
    },
  })
  healthRoutes(routes)
  docsRoutes(routes, surface)
}

/** Commit and identity provider are in headers, because clients rely on the fields of the body. */
export function sendMetadata(ctx: HttpContext): void {
  if (COMMIT !== undefined) {
    ctx.response.header('x-hub-commit', COMMIT)
  }
  const { identityUrl } = appSettings()
  if (identityUrl !== undefined) {
    ctx.response.header('x-hub-identity', identityUrl)
  }
  sendJson(ctx, { version: VERSION, timestamp: clock.now() })
}

export function healthRoutes(routes: SurfaceRoutes): void {
  routes
    .get('/health/live', (ctx) => sendJson(ctx, { status: 'ok' }), {
      name: 'readLiveness',
      summary: 'Check that the process runs (liveness)',
      access: anyone,
      responses: { 200: { description: 'The process runs', schema: HEALTH } },
    })
    .get(
      '/health/ready',
      async (ctx) => {
        sendJson(ctx, await readiness())
      },
      {
        name: 'readReadiness',
        summary: 'Check that the service can process requests (readiness)',
        access: anyone,
        responses: {
          200: {
            description: 'The service is ready, possibly without optional dependencies',
            schema: READINESS,
          },
        },
      }
    )
}
