import type { HttpContext } from '@adonisjs/core/http'

import { noteSecretRead } from '#audit/note'
import { corePool } from '#core/database'
import type { DatabasePool } from '#database/database_pool'
import { answerSecret } from '#http/answer'
import type { Answer, SurfaceRoutes } from '#http/surface'
import { enforce, holdingCentrally } from '#kernel/access'
import { EntityNotFound } from '#kernel/failures'
import { isUuid } from '#kernel/is_uuid'
import type { Origin } from '#kernel/origin'
import { originOf } from '#kernel/request_origin'
import { unseal } from '#records/sealing'
import { registry } from './registry.js'

/** What images are brought into a registry with. */
export interface WorkerCredentials {
  readonly host: string
  readonly accountName: string | null
  readonly accountSecret: string | null
}

interface Kept {
  readonly host: string
  readonly ownName: string | null
  readonly ownSecret: string | null
  readonly name: string | null
  readonly secret: string | null
}

const KEPT = `select r.host, r.account_name as "ownName", r.account_secret as "ownSecret",
    w.account_name as name, w.account_secret as secret
  from registries r left join registry_workers w on w.registry_id = r.id where r.id = $1`

const access = holdingCentrally('registry_manage')

const CREDENTIALS: Answer = {
  description: 'The account of the worker in the registry',
  schema: {
    type: 'object',
    required: ['host', 'accountName', 'accountSecret'],
    properties: {
      host: { type: 'string' },
      accountName: { type: ['string', 'null'] },
      accountSecret: { type: ['string', 'null'] },
    },
    additionalProperties: false,
  },
}

/** For workers: what they push and pull with, instead of the account with which the platform looks after a registry. */
export function workerCredentialRoutes(routes: SurfaceRoutes): void {
  routes.get('/registries/:id/worker/credentials', read, {
    name: 'readRegistryWorkerCredentials',
    summary: 'What a worker brings images into a registry with',
    access,
    answers: { 200: CREDENTIALS },
  })
}

async function read(ctx: HttpContext): Promise<void> {
  answerSecret(ctx, await readWorkerCredentials(corePool(), originOf(ctx), ctx.params.id))
}

/** The worker's own account; where it has none, that of the registry. */
async function readWorkerCredentials(
  pool: DatabasePool,
  origin: Origin,
  id: string
): Promise<WorkerCredentials> {
  enforce(access, origin.actor)
  const { rows } = await pool.read<Kept>({
    name: 'credentials-of-worker',
    text: KEPT,
    values: [isUuid(id) ? id : null],
  })
  const [kept] = rows
  if (!kept) {
    throw new EntityNotFound(registry.label)
  }
  await noteSecretRead(origin, { kind: registry.name, id, realmId: null })
  const { host, name, ownName, ownSecret } = kept
  const secret = unseal('registry worker account', kept.secret)
  return name !== null && secret !== null
    ? { host, accountName: name, accountSecret: secret }
    : { host, accountName: ownName, accountSecret: unseal('registry account', ownSecret) }
}
