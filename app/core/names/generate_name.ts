import { clock } from '#kernel/clock'

import { ADJECTIVES, NOUNS } from './words.js'

const SIX_BITS = 0b111111

/** A name for what came without one: two words that can be said, and enough digits that nothing else has it. */
export function generateName(): string {
  const [adjective, noun, ...digits] = clock.random(5)
  const words = [ADJECTIVES[adjective! & SIX_BITS], NOUNS[noun! & SIX_BITS]]
  return [...words, Buffer.from(digits).toString('hex')].join('-')
}
