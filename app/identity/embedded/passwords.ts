import { Turns } from '#identity/embedded/turns'
import { clock } from '#runtime/clock'

/** Each hash fills a thread that files and name look-ups need too, so only some are made at once. */
const AT_ONCE = 2

const turns = new Turns(AT_ONCE)
let decoy: Promise<string> | undefined

/** What is stored of a password. */
export async function hashPassword(password: string): Promise<string> {
  const hash = await hasher()
  return turns.take(() => hash.make(password))
}

/**
 * Whether a password is the one that was hashed. Where there is no hash it takes as long and is wrong. `open` is asked
 * when it is this check's turn, and throws where the check may not be made any more.
 */
export async function isPassword(
  sent: string,
  stored: string | null,
  open: () => Promise<void>
): Promise<boolean> {
  const hash = await hasher()
  decoy ??= hash.make(clock.random(32).toString('hex'))
  const against = stored ?? (await decoy)
  const same = await turns.take(async () => {
    await open()
    return hash.verify(against, sent)
  })
  return same && stored !== null
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
