import { createHash } from 'node:crypto'

/** The trail of one realm is a chain of its own; events without a realm have one, too. */
export const NO_REALM = 'none'

export function chainOf(realmId: string | null): string {
  return realmId ?? NO_REALM
}

/** What is said of a batch of events when it is sealed. */
export interface BatchHeader {
  readonly chain: string
  readonly number: number
  /** The digest of the batch before it, in hex; null for the first of a chain. */
  readonly previous: string | null
  /** The hash over all leaves, in hex. */
  readonly root: string
  readonly size: number
  /** When the last of its events has had its time; null where they are kept for good. */
  readonly expiresAt: string | null
  readonly sealedAt: string
}

export type RemovalReason = 'expired' | 'deleted'

/** What is said when events of a batch are removed. */
export interface Removal {
  readonly chain: string
  readonly number: number
  /** Where they were in the batch; null for all of it. */
  readonly positions: readonly number[] | null
  readonly reason: RemovalReason
  readonly removedAt: string
}

/** Where a chain ends: what is kept outside the database. */
export interface ChainHead {
  readonly chain: string
  readonly number: number
  readonly digest: string
}

/** The texts that are signed. Each begins with what it is, so that none can be taken for another. */
export const statementOf = {
  batch: ({ chain, number, previous, root, size, expiresAt, sealedAt }: BatchHeader) =>
    JSON.stringify(['batch', 1, chain, number, previous, root, size, expiresAt, sealedAt]),
  removal: ({ chain, number, positions, reason, removedAt }: Removal) =>
    JSON.stringify(['removal', 1, chain, number, positions, reason, removedAt]),
  head: ({ chain, number, digest }: ChainHead) =>
    JSON.stringify(['head', 1, chain, number, digest]),
}

/** What the next batch refers to this one by. */
export function digestOf(header: BatchHeader): string {
  return sha256(statementOf.batch(header))
}

export function rootOf(leaves: Uint8Array): string {
  return sha256(leaves)
}

function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}
