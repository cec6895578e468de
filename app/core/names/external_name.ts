import type { Shape } from '#kernel/shape'
import { clock } from '#kernel/clock'

/** What a name in a registry may be made of. */
export const REGISTRY_NAME: Shape = {
  pattern: /^[a-z0-9_-]*$/,
  says: 'A name in a registry consists of lower-case letters, digits, hyphens and underscores',
}

const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz'
const LENGTH = 21
/** The largest multiple of the alphabet in a byte; what is above would make the first letters more likely. */
const UNBIASED = 256 - (256 % ALPHABET.length)

/** What a record is called in a registry where nobody said how: nothing of ours can be guessed from it. */
export function generatedExternalName(): string {
  let name = ''
  while (name.length < LENGTH) {
    const letters = clock.random(LENGTH).filter((byte) => byte < UNBIASED)
    name += Array.from(letters, (byte) => ALPHABET[byte % ALPHABET.length]).join('')
  }
  return name.slice(0, LENGTH)
}
