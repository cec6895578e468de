import type { DatabasePool } from '#database/database_pool'
import type { Sweep } from '#jobs/sweep'

import type { EnvironmentRegistry } from './environment_registry.js'
import type { RegistryAccounts } from './registry_accounts.js'
import { rotateLegacyClient } from './legacy_client.js'
import type { RegistryReconciler } from './registry_reconciler.js'

const EVERY_MS = 15_000

/** Reconciles registries that were unreachable, or whose commands were lost. */
export function registrySweep(work: RegistryReconciler): Sweep {
  return {
    name: 'registries',
    schedule: { everyMs: EVERY_MS },
    run: (signal) => work.reconcileAll(signal),
  }
}

/** Relinks the projects of registries that renamed their accounts. */
export function registryAccountSweep(accounts: RegistryAccounts): Sweep {
  return {
    name: 'registry-accounts',
    schedule: { everyMs: 60_000 },
    async run() {
      await accounts.relinkRenamed()
      return 0
    },
  }
}

/** Inserts or updates the registry of the environment, at the start of a process and once a day. */
export function environmentRegistrySweep(registry: EnvironmentRegistry): Sweep {
  return {
    name: 'environment-registry',
    schedule: { everyMs: 24 * 60 * 60_000 },
    async run() {
      await registry.setUp()
      return 0
    },
  }
}

/** Rotates the secret of the legacy client that registries used, since their operators know it. */
export function legacyClientSweep(pool: DatabasePool): Sweep {
  return {
    name: 'legacy-registry-client',
    schedule: { everyMs: EVERY_MS },
    async run() {
      const { rows } = await pool.query('select requested_at from registry_client_renewals')
      if (rows.length === 0 || !(await rotateLegacyClient())) {
        return 0
      }
      await pool.query('delete from registry_client_renewals')
      return 1
    },
  }
}
