import type { ApplicationService } from '@adonisjs/core/types'

import type { RemoteSurface } from '#auth/remote_surface'
import { IdentityProvider } from '#auth/provider'
import { surfacesOf, type Surface } from '#configuration/processes'
import { BucketRealms } from '#core/analysis_buckets/bucket_realms'
import { StoredCode } from '#core/analysis_bucket_files/stored_code'
import { AnalysisLogStore } from '#core/analysis_logs/analysis_log_store'
import type { Inventory } from '#core/analysis_storage/inventory'
import { BucketLocks } from '#core/code_locks/bucket_locks'
import { StorageRemovals } from '#core/code_locks/storage_removals'
import { EventReader } from '#core/events/event_reader'
import { NodeRealms } from '#messenger/mailboxes/node_realms'
import type { FindRealms } from '#records/record_realms'
import { env } from '#start/env'
import { AnalysisReach } from '#storage/access/analysis_reach'
import { CodeRecords } from '#storage/locks/code_records'
import { LineOwners } from '#telemetry/logs/line_owners'
import { LogStore } from '#telemetry/logs/log_store'
import { Participants } from '#telemetry/logs/participants'
import { realmsFrom, RecordRealms } from '#telemetry/events/record_realms'

declare module '@adonisjs/core/types' {
  interface ContainerBindings {
    /** The inventory of storage; undefined without storage. */
    storageInventory: Inventory | undefined
  }
}

/** Implementations of a dependency on another surface. Only the one in use is loaded. */
interface NeighbourFactories<Neighbour> {
  readonly local: () => Promise<Neighbour>
  readonly absent: () => Promise<Neighbour>
  readonly remote: (surface: RemoteSurface) => Promise<Neighbour>
}

/**
 * Binds what one surface needs of another: in this process if it works for both, else over HTTP.
 */
export default class NeighboursProvider {
  constructor(protected app: ApplicationService) {}

  register() {
    this.app.container.singleton(AnalysisReach, () => this.#analysisReach())
    this.app.container.singleton(NodeRealms, () => this.#nodeRealms())
    this.app.container.singleton(BucketRealms, () => this.#bucketRealms())
    this.app.container.singleton(RecordRealms, () => this.#recordRealms())
    this.app.container.singleton(Participants, () => this.#analysisParticipants())
    this.app.container.singleton(AnalysisLogStore, () => this.#analysisLogStore())
    this.app.container.singleton(EventReader, () => this.#eventReader())
    this.app.container.singleton(StoredCode, () => this.#storedCode())
    this.app.container.singleton(BucketLocks, () => this.#bucketLocks())
    this.app.container.singleton(StorageRemovals, () => this.#storageRemovals())
    this.app.container.singleton(CodeRecords, () => this.#codeRecords())
    this.app.container.singleton('storageInventory', () => this.#storageInventory())
  }

  #analysisReach() {
    return this.#resolve<AnalysisReach>('core', env.CORE_URL, {
      local: async () => {
        const { storageReach } = await import('#core/analysis_storage/storage_reach')
        return storageReach
      },
      absent: async () => {
        const { withoutCore } = await import('#storage/access/without_core')
        return withoutCore
      },
      remote: async (core) => {
        const { remoteReach } = await import('#storage/access/remote_reach')
        return remoteReach(core)
      },
    })
  }

  #nodeRealms() {
    return this.#resolve<NodeRealms>('core', env.CORE_URL, {
      local: async () => {
        const { realmsOfClients } = await import('#core/nodes/realms_of_clients')
        return { find: realmsOfClients }
      },
      absent: async () => ({ find: async () => new Map() }),
      remote: async (core) => {
        const { fetchNodeRealms } = await import('#messenger/mailboxes/fetch_node_realms')
        return { find: (clientIds) => fetchNodeRealms(core, clientIds) }
      },
    })
  }

  #bucketRealms() {
    return this.#resolve<BucketRealms>('storage', env.STORAGE_URL, {
      local: async () => {
        const { bucketRealm } = await import('#storage/buckets/bucket_realm')
        return { find: bucketRealm }
      },
      absent: async () => ({ find: async () => undefined }),
      remote: async (storage) => {
        const { fetchBucketRealm } = await import('#core/analysis_buckets/fetch_bucket_realm')
        return { find: (bucketId) => fetchBucketRealm(storage, bucketId) }
      },
    })
  }

  async #recordRealms(): Promise<RecordRealms> {
    const { findRealms } = await import('#records/record_realms')
    const elsewhere = await Promise.all([
      this.#recordRealmsAt('core', env.CORE_URL),
      this.#recordRealmsAt('storage', env.STORAGE_URL),
    ])
    return realmsFrom([findRealms, ...elsewhere])
  }

  #recordRealmsAt(surface: 'core' | 'storage', url: string | undefined) {
    const nothing = async (): Promise<FindRealms> => async () => undefined
    return this.#resolve<FindRealms>(surface, url, {
      local: nothing,
      absent: nothing,
      remote: async (at) => {
        const { fetchRecordRealms } = await import('#telemetry/events/fetch_record_realms')
        return fetchRecordRealms(surface, at)
      },
    })
  }

  #analysisParticipants() {
    return this.#resolve<Participants>('core', env.CORE_URL, {
      local: async () => {
        const { participantsOf } = await import('#core/analyses/participants')
        return { find: participantsOf }
      },
      absent: async () => ({ find: async () => undefined }),
      remote: async (core) => {
        const { fetchParticipants } = await import('#telemetry/logs/fetch_participants')
        return { find: fetchParticipants(core) }
      },
    })
  }

  #analysisLogStore() {
    return this.#resolve<AnalysisLogStore>('telemetry', env.TELEMETRY_URL, {
      local: async () => {
        const { localLogs } = await import('#telemetry/logs/local_logs')
        const { container } = this.app
        return localLogs(await container.make(LogStore), await container.make(LineOwners))
      },
      absent: async () => {
        const { NO_LOGS } = await import('#core/analysis_logs/analysis_log_store')
        return NO_LOGS
      },
      remote: async (telemetry) => {
        const { remoteLogs } = await import('#core/analysis_logs/remote_logs')
        return remoteLogs(telemetry)
      },
    })
  }

  #storedCode() {
    return this.#resolve<StoredCode>('storage', env.STORAGE_URL, {
      local: async () => {
        const { findDamagedFiles } = await import('#storage/bucket_files/find_damaged_files')
        return { findDamaged: findDamagedFiles }
      },
      absent: async () => {
        const { NO_STORAGE } = await import('#core/analysis_bucket_files/stored_code')
        return NO_STORAGE
      },
      remote: async (storage) => {
        const { remoteStoredCode } = await import('#core/analysis_bucket_files/remote_stored_code')
        return remoteStoredCode(storage)
      },
    })
  }

  #bucketLocks() {
    return this.#resolve<BucketLocks>('storage', env.STORAGE_URL, {
      local: async () => {
        const { bucketLocks } = await import('#storage/locks/bucket_locks')
        return bucketLocks
      },
      absent: async () => {
        const { NO_LOCKS } = await import('#core/code_locks/bucket_locks')
        return NO_LOCKS
      },
      remote: async (storage) => {
        const { remoteBucketLocks } = await import('#core/code_locks/remote_bucket_locks')
        return remoteBucketLocks(storage)
      },
    })
  }

  #storageRemovals() {
    return this.#resolve<StorageRemovals>('storage', env.STORAGE_URL, {
      local: async () => {
        const { removeForCore } = await import('#storage/locks/local_removals')
        return { remove: removeForCore }
      },
      absent: async () => {
        const { NO_REMOVALS } = await import('#core/code_locks/storage_removals')
        return NO_REMOVALS
      },
      remote: async (storage) => {
        const { remoteStorageRemovals } = await import('#core/code_locks/remote_storage_removals')
        return remoteStorageRemovals(storage)
      },
    })
  }

  #codeRecords() {
    return this.#resolve<CodeRecords>('core', env.CORE_URL, {
      local: async () => {
        const { removeCodeRecords } = await import('#core/code_locks/local_code_records')
        return { remove: removeCodeRecords }
      },
      absent: async () => {
        const { withoutCodeRecords } = await import('#storage/locks/without_code_records')
        return withoutCodeRecords
      },
      remote: async (core) => {
        const { remoteCodeRecords } = await import('#storage/locks/remote_code_records')
        return remoteCodeRecords(core)
      },
    })
  }

  #storageInventory() {
    return this.#resolve<Inventory | undefined>('storage', env.STORAGE_URL, {
      local: async () => {
        const { localInventory } = await import('#storage/buckets/local_inventory')
        return localInventory
      },
      absent: async () => undefined,
      remote: async (storage) => {
        const { remoteInventory } = await import('#core/analysis_storage/remote_inventory')
        return remoteInventory(storage)
      },
    })
  }

  #eventReader() {
    return this.#resolve<EventReader>('telemetry', env.TELEMETRY_URL, {
      local: async () => {
        const { localEvents } = await import('#telemetry/events/local_events')
        const { telemetryPool } = await import('#telemetry/database')
        return localEvents(telemetryPool())
      },
      absent: async () => {
        const { NO_EVENTS } = await import('#core/events/event_reader')
        return NO_EVENTS
      },
      remote: async (telemetry) => {
        const { remoteEventReader } = await import('#core/events/remote_event_reader')
        return remoteEventReader(telemetry)
      },
    })
  }

  async #resolve<Neighbour>(
    surface: Surface,
    url: string | undefined,
    { local, absent, remote }: NeighbourFactories<Neighbour>
  ): Promise<Neighbour> {
    if (surfacesOf(env).includes(surface)) {
      return local()
    }
    return url === undefined
      ? absent()
      : remote({ url, provider: await this.app.container.make(IdentityProvider) })
  }
}
