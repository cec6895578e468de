import type { Sweep } from '#jobs/sweep'
import { inTransaction } from '#records/transaction'

import { commandRegistry } from './commands.js'
import { completeRemovals } from './registry_removal.js'
import { enterHarbor } from './environment_registry.js'
import { renewFormerClient } from './former_client.js'
import { findOrphans, findUnlinked, findUnproven } from './orphans.js'
import { corePool, linkKeeper } from './work.js'

const EVERY_MS = 15_000

/**
 * Brings registries into line that were away, or whose commands were lost. Answers how many
 * registries were left for good.
 */
export const registrySweep: Sweep = {
  name: 'registries',
  schedule: { everyMs: EVERY_MS },
  async run(signal) {
    await findOrphans(null)
    await findUnlinked()
    await findUnproven()
    const keeper = await linkKeeper()
    await keeper.keepDue(signal)
    return completeRemovals()
  },
}

/** Enters the registry that the environment names, when a process starts and once a day. */
export const environmentRegistrySweep: Sweep = {
  name: 'registry-of-the-environment',
  schedule: { everyMs: 24 * 60 * 60_000 },
  async run() {
    const entered = await enterHarbor()
    if (entered !== undefined) {
      await inTransaction(corePool(), (it) => commandRegistry(it, 'SETUP', entered))
    }
    return 0
  },
}

/** Gives the provider's client that registries were told to be another secret, where a registry may have told it further. */
export const formerClientSweep: Sweep = {
  name: 'former-client-of-registries',
  schedule: { everyMs: EVERY_MS },
  async run() {
    const { rows } = await corePool().query('select asked_at from registry_client_renewals')
    if (rows.length === 0 || !(await renewFormerClient())) {
      return 0
    }
    await corePool().query('delete from registry_client_renewals')
    return 1
  },
}
