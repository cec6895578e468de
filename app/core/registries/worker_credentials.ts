import type { HttpContext } from '@adonisjs/core/http'

import { noteSecretRead } from '#audit/note'
import { corePool } from '#core/database'
import type { DatabasePool } from '#database/database_pool'
import { answer } from '#http/answer'
import type { Answer, SurfaceRoutes } from '#http/surface'
import { enforce, holdingCentrally } from '#kernel/access'
import { EntityNotFound } from '#kernel/failures'
import { isUuid } from '#kernel/is_uuid'
import { exactly } from '#kernel/json_schema'
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

/** Accounts as they are kept, with their secrets sealed. */
export interface KeptAccounts {
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

/** What is kept of a registry `r` and of the accounts `w` of the worker there. */
export const KEPT_ACCOUNTS = `r.host, r.account_name as "ownName", r.account_secret as "ownSecret",
    json_build_object('name', w.account_name, 'secret', w.account_secret) as carrying,
    json_build_object('name', w.master_account_name, 'secret', w.master_account_secret) as master`

const KEPT = `select ${KEPT_ACCOUNTS}
  from registries r left join registry_workers w on w.registry_id = r.id where r.id = $1`

/** Who may read what the worker holds in registries. */
export const readingCredentials = holdingCentrally('registry_manage')

export const CREDENTIALS = {
  host: { type: 'string' },
  accountName: { type: ['string', 'null'] },
  accountSecret: { type: ['string', 'null'] },
} as const

const ANSWER: Answer = {
  description: 'An account of the worker in the registry',
  schema: exactly(CREDENTIALS),
}

/** For workers: what they push and pull with, instead of the account with which the platform looks after a registry. */
export function workerCredentialRoutes(routes: SurfaceRoutes): void {
  routes.get('/registries/:id/worker/credentials', reading('carrying'), {
    name: 'readRegistryWorkerCredentials',
    summary: 'What a worker brings builds into a registry with, and to nodes',
    access: readingCredentials,
    answers: { 200: ANSWER },
  })
  routes.get('/registries/:id/worker/master-credentials', reading('master'), {
    name: 'readRegistryMasterCredentials',
    summary: 'What a worker brings master images into a registry with',
    access: readingCredentials,
    answers: { 200: ANSWER },
  })
}

function reading(purpose: Purpose) {
  return async (ctx: HttpContext): Promise<void> => {
    const { id } = ctx.params
    answer(ctx, await readWorkerCredentials(corePool(), originOf(ctx), id, purpose))
  }
}

async function readWorkerCredentials(
  pool: DatabasePool,
  origin: Origin,
  id: string,
  purpose: Purpose
): Promise<WorkerCredentials> {
  enforce(readingCredentials, origin.actor)
  const { rows } = await pool.read<KeptAccounts>({
    name: 'credentials-of-worker',
    text: KEPT,
    values: [isUuid(id) ? id : null],
  })
  const [kept] = rows
  if (!kept) {
    throw new EntityNotFound(registry.label)
  }
  await noteSecretRead(origin, { kind: registry.name, id, realmId: null })
  return credentialsIn(kept, purpose)
}

/** The worker's own account; where it has none, that of the registry. */
export function credentialsIn(kept: KeptAccounts, purpose: Purpose): WorkerCredentials {
  const { host, ownName, ownSecret } = kept
  const { name, secret: sealed } = kept[purpose]
  const secret = unseal('registry worker account', sealed)
  return name !== null && secret !== null
    ? { host, accountName: name, accountSecret: secret }
    : { host, accountName: ownName, accountSecret: unseal('registry account', ownSecret) }
}
