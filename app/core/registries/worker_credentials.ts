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
import type { Purpose } from './registry_workers.js'

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
  readonly carrying: KeptAccount
  readonly master: KeptAccount
}

interface KeptAccount {
  readonly name: string | null
  readonly secret: string | null
}

const KEPT = `select r.host, r.account_name as "ownName", r.account_secret as "ownSecret",
    json_build_object('name', w.account_name, 'secret', w.account_secret) as carrying,
    json_build_object('name', w.master_account_name, 'secret', w.master_account_secret) as master
  from registries r left join registry_workers w on w.registry_id = r.id where r.id = $1`

const access = holdingCentrally('registry_manage')

const CREDENTIALS: Answer = {
  description: 'An account of the worker in the registry',
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
  routes.get('/registries/:id/worker/credentials', reading('carrying'), {
    name: 'readRegistryWorkerCredentials',
    summary: 'What a worker brings builds into a registry with, and to nodes',
    access,
    answers: { 200: CREDENTIALS },
  })
  routes.get('/registries/:id/worker/master-credentials', reading('master'), {
    name: 'readRegistryMasterCredentials',
    summary: 'What a worker brings master images into a registry with',
    access,
    answers: { 200: CREDENTIALS },
  })
}

function reading(purpose: Purpose) {
  return async (ctx: HttpContext): Promise<void> => {
    const { id } = ctx.params
    answerSecret(ctx, await readWorkerCredentials(corePool(), originOf(ctx), id, purpose))
  }
}

/** The worker's own account; where it has none, that of the registry. */
async function readWorkerCredentials(
  pool: DatabasePool,
  origin: Origin,
  id: string,
  purpose: Purpose
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
  const { host, ownName, ownSecret } = kept
  const { name, secret: sealed } = kept[purpose]
  const secret = unseal('registry worker account', sealed)
  return name !== null && secret !== null
    ? { host, accountName: name, accountSecret: secret }
    : { host, accountName: ownName, accountSecret: unseal('registry account', ownSecret) }
}
