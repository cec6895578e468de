import { FairQueue } from './fair_queue.js'
import { clock } from '#kernel/clock'

/** Each hash fills a thread that files and name look-ups need too, so only some are made at once. */
const CONCURRENT_HASHES = 2

/** Each hash waits for a turn. */
export const hashingQueue = new FairQueue(CONCURRENT_HASHES)

let decoy: Promise<string> | undefined

/** What is stored of a password. */
export async function hashPassword(password: string): Promise<string> {
  const hash = await hasher()
  return hashingQueue.run(() => hash.make(password))
}

/** Whether a password is the one that was hashed. Where there is no hash it takes as long and is wrong. */
export async function isPassword(sent: string, stored: string | null): Promise<boolean> {
  const hash = await hasher()
  const made = (decoy ??= makeDecoy())
  const isSame = await hash.verify(stored ?? (await made), sent)
  return isSame && stored !== null
}

/** One that could not be made is made anew by whoever needs it next. */
function makeDecoy(): Promise<string> {
  const made = hasher().then((hash) => hash.make(clock.random(32).toString('hex')))
  made.catch(() => (decoy = undefined))
  return made
}

/** Whether a stored hash is weaker, or stronger, than those that are made now. */
export async function isOutdated(stored: string): Promise<boolean> {
  const hash = await hasher()
  return hash.needsReHash(stored)
}

/** Exists once the application has booted, which is after routes were declared. */
async function hasher() {
  const { default: service } = await import('@adonisjs/core/services/hash')
  return service
}
