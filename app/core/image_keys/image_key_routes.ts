import type { HttpContext } from '@adonisjs/core/http'

import { sendJson } from '#http/send_json'
import type { SurfaceRoutes } from '#http/surface'
import { loggedIn } from '#kernel/access'
import { dataResponse, exactObject } from '#kernel/json_schema'
import { AcceptedKeys } from './accepted_keys.js'

const KEYS = dataResponse({
  type: 'array',
  items: exactObject({
    fingerprint: { type: 'string' },
    publicKey: { type: 'string' },
    isCurrent: { type: 'boolean' },
  }),
})

/** The public keys that verify the images of this hub. Every caller who is logged in may read them. */
export function imageKeyRoutes(routes: SurfaceRoutes): void {
  routes.get('/image-keys', list, {
    name: 'listImageKeys',
    summary: 'List the public keys that verify images: the current one, then other accepted ones',
    access: loggedIn,
    responses: { 200: { description: 'The keys in PEM, with their fingerprints', schema: KEYS } },
  })
}

async function list(ctx: HttpContext): Promise<void> {
  const accepted = await ctx.containerResolver.make(AcceptedKeys)
  const keys = await accepted.all()
  const data = keys.map(({ fingerprint, pem }, index) => ({
    fingerprint,
    publicKey: pem,
    isCurrent: index === 0,
  }))
  sendJson(ctx, { data, meta: {} })
}
