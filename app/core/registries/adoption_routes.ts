import type { HttpContext } from '@adonisjs/core/http'

import { sendJson } from '#http/send_json'
import type { SurfaceRoutes } from '#http/surface'
import { dataResponse, exactObject } from '#kernel/json_schema'
import { originOf } from '#kernel/request_origin'

import { adoptionAccess, AdoptionPreview } from './adoption_preview.js'

const ADOPTION = exactObject({
  externalName: { type: 'string' },
  exists: { type: 'boolean' },
  isOwn: { type: 'boolean' },
  isPublic: { type: ['boolean', 'null'] },
  repositories: { type: ['integer', 'null'] },
  changes: { type: 'array', items: { type: 'string' } },
})

/** The route that shows what a link would change in a registry. */
export function adoptionRoutes(routes: SurfaceRoutes): void {
  routes.get('/registry-projects/:id/adoption', read, {
    name: 'readAdoption',
    summary:
      'Compare a registry project with the project of the same name in its registry, to preview a link',
    access: adoptionAccess,
    responses: {
      200: {
        description:
          'The project in the registry, and what a link would change; 503 if the registry does not answer',
        schema: dataResponse(ADOPTION),
      },
    },
  })
}

async function read(ctx: HttpContext): Promise<void> {
  const preview = await ctx.containerResolver.make(AdoptionPreview)
  const data = await preview.read(originOf(ctx), String(ctx.params.id))
  sendJson(ctx, { data, meta: {} })
}
