import router from '@adonisjs/core/services/router'

import { servedOf } from '#configuration/processes'
import { mountSurface } from '#http/mount'
import { hub } from '#openapi/landing'
import type { Surface } from '#http/surface'
import { validateKinds } from '#records/kind'
import type { Served } from '#configuration/surfaces'
import { env } from './env.js'

const SURFACES: Record<Served, () => Promise<{ default: Surface }>> = {
  core: () => import('#core/routes'),
  storage: () => import('#storage/routes'),
  telemetry: () => import('#telemetry/routes'),
  messenger: () => import('#messenger/routes'),
  identity: () => import('#identity/routes'),
  console: () => import('#console/routes'),
}

/** A process that works for a surface without serving it also needs its kinds. */
for (const name of servedOf(env)) {
  const { default: surface } = await SURFACES[name]()
  if (env.SURFACES.includes(name)) {
    mountSurface(router, surface)
  }
}

if (env.SURFACES.length > 1) {
  mountSurface(router, hub)
}

validateKinds()
