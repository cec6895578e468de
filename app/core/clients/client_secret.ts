import { clock } from '#kernel/clock'

const BYTES = 32

/** A new secret of a client: 256 random bits, which need no slow hash. */
export function newClientSecret(): string {
  return clock.random(BYTES).toString('hex')
}
