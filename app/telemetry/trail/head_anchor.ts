import type { ChainHead } from './statements.js'

export interface SignedHead extends ChainHead {
  readonly signature: Uint8Array
}

/**
 * Keeps the newest head of each chain outside of the database, so that a trail that was cut at its end is seen.
 */
export interface HeadAnchor {
  write(head: SignedHead): Promise<void>
  read(chain: string): Promise<SignedHead | undefined>
  chains(): Promise<string[]>
}
