import type { DatabasePool } from '#database/database_pool'
import type { Sweep } from '#jobs/sweep'

import type { EnvironmentRegistry } from './environment_registry.js'
import type { RegistryAccounts } from './registry_accounts.js'
import { rotateLegacyClient } from './legacy_client.js'
import type { RegistryReconciler } from './registry_reconciler.js'

const EVERY_MS = 15_000

/**
 * Brings registries into line that were away, or whose commands were lost. Answers how many
 * registries were left for good.
 */
export function registrySweep(work: RegistryReconciler): Sweep {
  return {
    name: 'registries',
    schedule: { everyMs: EVERY_MS },
    run: (signal) => work.reconcileAll(signal),
  }
}

/** Follows registries that call their accounts otherwise than before. */
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

/** Enters the registry that the environment names, when a process starts and once a day. */
export function environmentRegistrySweep(registry: EnvironmentRegistry): Sweep {
  return {
    name: 'registry-of-the-environment',
    schedule: { everyMs: 24 * 60 * 60_000 },
    async run() {
      await registry.setUp()
      return 0
    },
  }
}

/** Gives the provider's client that registries were told to be another secret, where a registry may have told it further. */
export function legacyClientSweep(pool: DatabasePool): Sweep {
  return {
    name: 'former-client-of-registries',
    schedule: { everyMs: EVERY_MS },
    async run() {
      const { rows } = await pool.query('select asked_at from registry_client_renewals')
      if (rows.length === 0 || !(await rotateLegacyClient())) {
        return 0
      }
      await pool.query('delete from registry_client_renewals')
      return 1
    },
  }
}
