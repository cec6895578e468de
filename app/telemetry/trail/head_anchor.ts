import type { ChainHead } from './statements.js'

export interface SignedHead extends ChainHead {
  readonly signature: Uint8Array
}

/** Stores the head of each chain outside of the database, so that a truncated chain is detected. */
export interface HeadAnchor {
  write(head: SignedHead): Promise<void>
  read(chain: string): Promise<SignedHead | undefined>
  chains(): Promise<string[]>
}
