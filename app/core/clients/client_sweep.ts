import type { Logger } from '@adonisjs/core/logger'

import { serviceOrigin } from '#auth/service_origin'
import { corePool } from '#core/database'
import type { TargetPermissions } from '#auth/client_permissions'
import { SkippedRecords } from './skipped_records.js'
import {
  reconcileClients,
  type OwnerOfClient,
  type ReconcilingProvider,
} from './reconcile_clients.js'
import type { Sweep } from '#jobs/sweep'
import type { Origin } from '#kernel/origin'

const EVERY_MS = 60 * 60_000
const PAGE_SIZE = 100

/** A kind of record with own clients. */
interface ClientOwners {
  readonly table: 'nodes' | 'analyses'
  readonly service: () => Promise<OwnerService>
  readonly permissions: TargetPermissions
}

/** Assigns another client to a record; returns false if the record was deleted. */
interface OwnerService {
  replaceClient(origin: Origin, id: string, clientId: string): Promise<boolean>
}

interface ClientSweepDependencies {
  readonly provider: ReconcilingProvider
  readonly logger: Pick<Logger, 'warn'>
}

/** Replaces missing clients of records, and grants clients the permissions they should have. */
export function clientSweep(
  name: string,
  owners: ClientOwners,
  dependencies: ClientSweepDependencies
): Sweep {
  const reconciliation = {
    ...dependencies,
    owners: () => inPages(owners),
    assign: ({ id }: { id: string }, clientId: string) => assign(owners, id, clientId),
    permissions: owners.permissions,
    skipped: new SkippedRecords(name, dependencies.logger),
  }
  return {
    name,
    schedule: { everyMs: EVERY_MS },
    run: (signal) => reconcileClients(reconciliation, signal),
  }
}

async function* inPages({ table }: ClientOwners): AsyncIterable<OwnerOfClient> {
  let last = '00000000-0000-0000-0000-000000000000'
  let size = PAGE_SIZE
  while (size === PAGE_SIZE) {
    const { rows } = await corePool().query<OwnerOfClient>(
      `select id, realm_id as "realmId", client_id as "clientId" from ${table}
       where id > $1 order by id limit ${PAGE_SIZE}`,
      [last]
    )
    yield* rows
    size = rows.length
    last = rows.at(-1)?.id ?? last
  }
}

/** Returns false if the record was deleted meanwhile; then its new client is removed. */
async function assign({ service }: ClientOwners, id: string, clientId: string): Promise<boolean> {
  const owners = await service()
  return owners.replaceClient(await serviceOrigin(), id, clientId)
}
