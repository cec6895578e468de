import { clock } from '#kernel/clock'

const BYTES = 32

/**
 * A new secret for a client: 256 random bits, too many to be guessed, so that no slow hash has to protect them.
 */
export function newClientSecret(): string {
  return clock.random(BYTES).toString('hex')
}
