import type { Logger } from '@adonisjs/core/logger'

import { reactToChanges } from '#auth/reactions'
import { IdentityProvider } from '#auth/provider'
import type { RunningJob } from '#jobs/running_job'
import type { Sweep } from '#jobs/sweep'
import { bucketRemovalSweep, storageReactions } from '#storage/buckets/realm_removal'
import { storageSweeps } from '#storage/sweeps/storage_sweeps'

/** The periodic jobs of storage: interrupted uploads, orphaned objects, and buckets of deleted realms. */
export async function backgroundSweeps(logger: Logger): Promise<readonly Sweep[]> {
  return [...storageSweeps(logger), bucketRemovalSweep(await identityProvider())]
}

/** Removes buckets when the identity provider reports that a realm was deleted. */
export async function reactToRealmChanges(logger: Logger): Promise<RunningJob> {
  const stop = await reactToChanges(await identityProvider(), storageReactions, logger)
  return { stop }
}

async function identityProvider(): Promise<IdentityProvider> {
  const { default: app } = await import('@adonisjs/core/services/app')
  return app.container.make(IdentityProvider)
}
