import type { ChainHead } from './statements.js'

export interface SignedHead extends ChainHead {
  readonly signature: Uint8Array
}

/** Stores the head of each chain outside of the database, so that a truncated chain is detected. */
export abstract class HeadAnchor {
  abstract write(head: SignedHead): Promise<void>
  abstract read(chain: string): Promise<SignedHead | undefined>
  abstract chains(): Promise<string[]>
}
