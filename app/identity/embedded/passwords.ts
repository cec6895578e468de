import type { HashService } from '@adonisjs/core/types'

import { clock } from '#kernel/clock'
import { oncePer } from '#kernel/once_per'
import { FairQueue, type Priority } from './fair_queue.js'

/** Hashing uses threads of the pool that file access and DNS lookups need too, so it is limited. */
const CONCURRENT_HASHES = 2

const queueOf = oncePer((_hash: HashService) => new FairQueue(CONCURRENT_HASHES))

/** The queue of all hashes. */
export const hashingQueue = async (): Promise<FairQueue> => queueOf(await hasher())

/** The hash of a password. */
export async function hashPassword(password: string, priority?: Priority): Promise<string> {
  const hash = await hasher()
  return queueOf(hash).run(() => hash.make(password), priority)
}

/** The hash that is compared where there is none, made once. A failed one is made again by the next caller. */
export class Decoy {
  #made: Promise<string> | undefined

  get hash(): Promise<string> {
    this.#made ??= this.#make()
    return this.#made
  }

  #make(): Promise<string> {
    const made = hasher().then((hash) => hash.make(clock.random(32).toString('hex')))
    made.catch(() => (this.#made = undefined))
    return made
  }
}

const decoyOf = oncePer((_hash: HashService) => new Decoy())

/** Whether a password matches its hash. Without a hash it takes the same time and is wrong. */
export async function isPassword(
  sent: string,
  stored: string | null,
  decoy?: Decoy
): Promise<boolean> {
  const hash = await hasher()
  const other = (decoy ?? decoyOf(hash)).hash
  const isSame = await hash.verify(stored ?? (await other), sent)
  return isSame && stored !== null
}

/** Whether a hash has other parameters than new ones. */
export async function isOutdated(stored: string): Promise<boolean> {
  const hash = await hasher()
  return hash.needsReHash(stored)
}

/** Imported lazily: the service exists only after the application has booted. */
async function hasher(): Promise<HashService> {
  const { default: service } = await import('@adonisjs/core/services/hash')
  return service
}
