import type { Logger } from '@adonisjs/core/logger'

import { serviceOrigin } from '#auth/service_origin'
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

/** A kind of record with own clients. */
interface ClientOwners {
  readonly records: () => AsyncIterable<OwnerOfClient>
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
    owners: owners.records,
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

/** Returns false if the record was deleted meanwhile; then its new client is removed. */
async function assign({ service }: ClientOwners, id: string, clientId: string): Promise<boolean> {
  const owners = await service()
  return owners.replaceClient(await serviceOrigin(), id, clientId)
}
