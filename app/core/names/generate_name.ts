import { clock } from '#kernel/clock'

import { ADJECTIVES, NOUNS } from './words.js'

const SIX_BITS = 0b111111

/** Generates a name: two words, and enough digits to make it unique. */
export function generateName(): string {
  const [adjective, noun, ...digits] = clock.random(5)
  const words = [ADJECTIVES[adjective! & SIX_BITS], NOUNS[noun! & SIX_BITS]]
  return [...words, Buffer.from(digits).toString('hex')].join('-')
}
