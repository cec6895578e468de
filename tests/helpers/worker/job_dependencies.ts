import { type MemoryBus } from '#bus/memory/memory_bus'
import { SigningKey } from '#oci/signing/signing_key'
import { Attempts } from '#worker/attempts'
import { Signing } from '#worker/images/signing'
import type { JobLimits } from '#worker/job_consumer'
import { Platform } from '#worker/platform/platform'

export const LIMITS: JobLimits = { concurrency: 2, jobMs: 60_000, graceMs: 0, maxCrashes: 3 }

export const silent = { info() {}, warn() {}, error() {}, debug() {} }

const nowhere = () => {
  throw new Error('No request is expected here')
}

/** What jobs need that use neither the platform nor images. */
export async function jobDependencies(folder: string, bus: MemoryBus) {
  return {
    bus,
    platform: new Platform({
      credentials: { token: nowhere, renewed: nowhere },
      retryForMs: 0,
      core: { name: 'Core', url: nowhere },
      storage: { name: 'Storage', url: nowhere },
      signal: new AbortController().signal,
    }),
    images: { folder: nowhere, registry: nowhere },
    signing: new Signing(SigningKey.derivedFrom('a key that signs nothing here')),
    logger: silent,
    ship() {},
    limits: LIMITS,
    attempts: await Attempts.open(folder),
    disk: { isFull: async () => false },
  }
}
