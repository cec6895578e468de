import type { HttpContext } from '@adonisjs/core/http'

import { recordSecretRead } from '#audit/record_security_event'
import { corePool } from '#core/database'
import { selectBuildRegistry } from '#core/registries/build_registry'
import { registry } from '#core/registries/registry'
import {
  CREDENTIALS,
  resolveCredentials,
  STORED_ACCOUNTS,
  credentialsAccess,
  type StoredAccounts,
  type WorkerCredentials,
} from '#core/registries/worker_credential_routes'
import { sendJson } from '#http/send_json'
import type { SurfaceRoutes } from '#http/surface'
import { enforce } from '#kernel/access'
import { dataResponse, exactObject } from '#kernel/json_schema'
import type { Origin } from '#kernel/origin'
import { originOf } from '#kernel/request_origin'
import { readAnalysis } from './read_analysis.js'

interface BuildProject {
  readonly type: string
  readonly externalName: string
}

interface BuildRegistry extends WorkerCredentials {
  readonly id: string
  readonly name: string
  /** The projects with builds and with base images. */
  readonly projects: readonly BuildProject[]
}

type BuildRegistryRow = StoredAccounts & Pick<BuildRegistry, 'id' | 'name' | 'projects'>

const BUILD_REGISTRY = {
  name: 'build-registry',
  text: `select r.id, r.name, ${STORED_ACCOUNTS},
      (select coalesce(json_agg(json_build_object('type', p.type, 'externalName', p.external_name)
          order by p.type, p.created_at, p.id), '[]')
        from registry_projects p
        where p.registry_id = r.id and p.type in ('incoming', 'masterImages')) as projects
    from registries r left join registry_workers w on w.registry_id = r.id
    where r.id = ${selectBuildRegistry('$1::uuid')}`,
}

const REGISTRY = exactObject({
  id: { type: 'string' },
  name: { type: 'string' },
  ...CREDENTIALS,
  projects: {
    type: 'array',
    items: exactObject({ type: { type: 'string' }, externalName: { type: 'string' } }),
  },
})
const SCHEMA = dataResponse(exactObject({ registry: { anyOf: [REGISTRY, { type: 'null' }] } }))

/** Answers a worker that builds an image with registry, credentials and projects in one request. */
export function buildRegistryRoutes(routes: SurfaceRoutes): void {
  routes.get('/analyses/:id/build-registry', read, {
    name: 'readBuildRegistry',
    summary:
      'Read the registry to which a worker pushes the build of an analysis, with credentials and projects',
    access: credentialsAccess,
    responses: {
      200: {
        description:
          'The registry of the analysis, or else the oldest one that is set up, with the account of the worker; null if there is none',
        schema: SCHEMA,
      },
    },
  })
}

async function read(ctx: HttpContext): Promise<void> {
  const registryOfBuild = await buildRegistry(originOf(ctx), ctx.params.id)
  sendJson(ctx, { data: { registry: registryOfBuild ?? null }, meta: {} })
}

async function buildRegistry(origin: Origin, id: string): Promise<BuildRegistry | undefined> {
  enforce(credentialsAccess, origin.actor)
  const { registryId } = await readAnalysis(origin, id)
  const { rows } = await corePool().read<BuildRegistryRow>({
    ...BUILD_REGISTRY,
    values: [registryId],
  })
  const [row] = rows
  if (!row) {
    return undefined
  }
  const { projects, name } = row
  await recordSecretRead(origin, { kind: registry.name, id: row.id, realmId: null })
  return { id: row.id, name, ...resolveCredentials(row, 'carrying'), projects }
}
