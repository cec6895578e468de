import type { HttpContext } from '@adonisjs/core/http'

import { noteSecretRead } from '#audit/note'
import { corePool } from '#core/database'
import { buildRegistryFor } from '#core/registries/ready_registry'
import { registry } from '#core/registries/registry'
import {
  CREDENTIALS,
  credentialsIn,
  KEPT_ACCOUNTS,
  readingCredentials,
  type KeptAccounts,
  type WorkerCredentials,
} from '#core/registries/worker_credentials'
import { answer } from '#http/answer'
import type { SurfaceRoutes } from '#http/surface'
import { enforce } from '#kernel/access'
import { answering, exactly } from '#kernel/json_schema'
import type { Origin } from '#kernel/origin'
import { originOf } from '#kernel/request_origin'
import { readAnalysis } from './client_of_analysis.js'

interface Project {
  readonly type: string
  readonly externalName: string
}

interface BuildRegistry extends WorkerCredentials {
  readonly id: string
  readonly name: string
  /** Those of builds and of what they stand on. */
  readonly projects: readonly Project[]
}

type Kept = KeptAccounts & Pick<BuildRegistry, 'id' | 'name' | 'projects'>

const KEPT = {
  name: 'build-registry',
  text: `select r.id, r.name, ${KEPT_ACCOUNTS},
      (select coalesce(json_agg(json_build_object('type', p.type, 'externalName', p.external_name)
          order by p.type, p.created_at, p.id), '[]')
        from registry_projects p
        where p.registry_id = r.id and p.type in ('incoming', 'masterImages')) as projects
    from registries r left join registry_workers w on w.registry_id = r.id
    where r.id = ${buildRegistryFor('$1::uuid')}`,
}

const REGISTRY = exactly({
  id: { type: 'string' },
  name: { type: 'string' },
  ...CREDENTIALS,
  projects: {
    type: 'array',
    items: exactly({ type: { type: 'string' }, externalName: { type: 'string' } }),
  },
})
const SCHEMA = answering(exactly({ registry: { anyOf: [REGISTRY, { type: 'null' }] } }))

/** For whoever builds the image of an analysis, and would ask for a registry, its account and its projects otherwise, one after the other. */
export function buildRegistryRoutes(routes: SurfaceRoutes): void {
  routes.get('/analyses/:id/build-registry', read, {
    name: 'readBuildRegistry',
    summary: 'The registry into which an analysis is built, as what, and its projects for that',
    access: readingCredentials,
    answers: {
      200: {
        description:
          'That of the analysis, else the oldest, of those that are set up, with an account of the worker; none where no registry is',
        schema: SCHEMA,
      },
    },
  })
}

async function read(ctx: HttpContext): Promise<void> {
  const found = await buildRegistry(originOf(ctx), ctx.params.id)
  answer(ctx, { data: { registry: found ?? null }, meta: {} })
}

async function buildRegistry(origin: Origin, id: string): Promise<BuildRegistry | undefined> {
  enforce(readingCredentials, origin.actor)
  const { registryId } = await readAnalysis(origin, id)
  const { rows } = await corePool().read<Kept>({ ...KEPT, values: [registryId] })
  const [kept] = rows
  if (!kept) {
    return undefined
  }
  const { projects, name } = kept
  await noteSecretRead(origin, { kind: registry.name, id: kept.id, realmId: null })
  return { id: kept.id, name, ...credentialsIn(kept, 'carrying'), projects }
}
