import type { HttpContext } from '@adonisjs/core/http'

import { recordSecretRead } from '#audit/record_security_event'
import { corePool } from '#core/database'
import type { DatabasePool } from '#database/database_pool'
import { sendJson } from '#http/send_json'
import type { ResponseDeclaration, SurfaceRoutes } from '#http/surface'
import { enforce, requiresInMasterRealm } from '#kernel/access'
import { EntityNotFound } from '#kernel/failures'
import { isUuid } from '#kernel/is_uuid'
import { exactObject } from '#kernel/json_schema'
import type { Origin } from '#kernel/origin'
import { originOf } from '#kernel/request_origin'
import { unseal } from '#records/sealing'
import { registry } from './registry.js'
import type { WorkerAccountPurpose } from './worker_accounts.js'

/** The account with which a worker pushes and pulls images. */
export interface WorkerCredentials {
  readonly host: string
  readonly accountName: string | null
  readonly accountSecret: string | null
}

/** The accounts of a registry, with sealed secrets. */
export interface StoredAccounts {
  readonly host: string
  readonly ownName: string | null
  readonly ownSecret: string | null
  readonly carrying: StoredAccount
  readonly master: StoredAccount
}

interface StoredAccount {
  readonly name: string | null
  readonly secret: string | null
}

/** The columns of a registry `r` and its worker accounts `w`. */
export const STORED_ACCOUNTS = `r.host, r.account_name as "ownName", r.account_secret as "ownSecret",
    json_build_object('name', w.account_name, 'secret', w.account_secret) as carrying,
    json_build_object('name', w.master_account_name, 'secret', w.master_account_secret) as master`

const SELECT_ACCOUNTS = `select ${STORED_ACCOUNTS}
  from registries r left join registry_workers w on w.registry_id = r.id where r.id = $1`

/** The permission to read the credentials of the worker. */
export const credentialsAccess = requiresInMasterRealm('registry_manage')

export const CREDENTIALS = {
  host: { type: 'string' },
  accountName: { type: ['string', 'null'] },
  accountSecret: { type: ['string', 'null'] },
} as const

const ANSWER: ResponseDeclaration = {
  description: 'An account of the worker in the registry',
  schema: exactObject(CREDENTIALS),
}

/** Workers push and pull with these accounts, instead of the administrator account of the platform. */
export function workerCredentialRoutes(routes: SurfaceRoutes): void {
  routes.get('/registries/:id/worker/credentials', credentialsHandler('carrying'), {
    name: 'readRegistryWorkerCredentials',
    summary: 'Read the account with which a worker pushes builds and distributes them to nodes',
    access: credentialsAccess,
    responses: { 200: ANSWER },
  })
  routes.get('/registries/:id/worker/master-credentials', credentialsHandler('master'), {
    name: 'readRegistryMasterCredentials',
    summary: 'Read the account with which a worker pushes master images',
    access: credentialsAccess,
    responses: { 200: ANSWER },
  })
}

function credentialsHandler(purpose: WorkerAccountPurpose) {
  return async (ctx: HttpContext): Promise<void> => {
    const { id } = ctx.params
    sendJson(ctx, await readWorkerCredentials(corePool(), originOf(ctx), id, purpose))
  }
}

async function readWorkerCredentials(
  pool: DatabasePool,
  origin: Origin,
  id: string,
  purpose: WorkerAccountPurpose
): Promise<WorkerCredentials> {
  enforce(credentialsAccess, origin.actor)
  const { rows } = await pool.read<StoredAccounts>({
    name: 'credentials-of-worker',
    text: SELECT_ACCOUNTS,
    values: [isUuid(id) ? id : null],
  })
  const [stored] = rows
  if (!stored) {
    throw new EntityNotFound(registry.label)
  }
  await recordSecretRead(origin, { kind: registry.name, id, realmId: null })
  return resolveCredentials(stored, purpose)
}

/** Returns the account of the worker, or that of the registry if the worker has none. */
export function resolveCredentials(
  stored: StoredAccounts,
  purpose: WorkerAccountPurpose
): WorkerCredentials {
  const { host, ownName, ownSecret } = stored
  const { name, secret: sealed } = stored[purpose]
  const secret = unseal('registry worker account', sealed)
  return name !== null && secret !== null
    ? { host, accountName: name, accountSecret: secret }
    : { host, accountName: ownName, accountSecret: unseal('registry account', ownSecret) }
}
