import { FairQueue } from './fair_queue.js'
import { clock } from '#kernel/clock'

/** Hashing uses threads of the pool that file access and DNS lookups need too, so it is limited. */
const CONCURRENT_HASHES = 2

/** The queue of all hashes. */
export const hashingQueue = new FairQueue(CONCURRENT_HASHES)

/** The hash of a password. */
export async function hashPassword(password: string): Promise<string> {
  const hash = await hasher()
  return hashingQueue.run(() => hash.make(password))
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

const sharedDecoy = new Decoy()

/** Whether a password matches its hash. Without a hash it takes the same time and is wrong. */
export async function isPassword(
  sent: string,
  stored: string | null,
  decoy = sharedDecoy
): Promise<boolean> {
  const hash = await hasher()
  const other = decoy.hash
  const isSame = await hash.verify(stored ?? (await other), sent)
  return isSame && stored !== null
}

/** Whether a hash has other parameters than new ones. */
export async function isOutdated(stored: string): Promise<boolean> {
  const hash = await hasher()
  return hash.needsReHash(stored)
}

/** Imported lazily: the service exists only after the application has booted. */
async function hasher() {
  const { default: service } = await import('@adonisjs/core/services/hash')
  return service
}
