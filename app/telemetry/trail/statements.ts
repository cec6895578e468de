import { createHash } from 'node:crypto'

/** Each realm has its own chain, and so do events without a realm. */
export const NO_REALM = 'none'

export function chainOf(realmId: string | null): string {
  return realmId ?? NO_REALM
}

/** The signed header of a batch. */
export interface BatchHeader {
  readonly chain: string
  readonly number: number
  /** The digest of the previous batch, in hex; null for the first of a chain. */
  readonly previous: string | null
  /** The hash over all leaves, in hex. */
  readonly root: string
  readonly size: number
  /** When the last of its events expires; null if they are permanent. */
  readonly expiresAt: string | null
  readonly sealedAt: string
}

type RemovalReason = 'expired' | 'deleted'

/** The signed statement of a removal. */
export interface Removal {
  readonly chain: string
  readonly number: number
  /** Their positions in the batch; null for all of them. */
  readonly positions: readonly number[] | null
  readonly reason: RemovalReason
  readonly removedAt: string
}

/** The end of a chain, as it is anchored outside of the database. */
export interface ChainHead {
  readonly chain: string
  readonly number: number
  readonly digest: string
}

/** The signed texts. Each starts with its type, so that none can stand for another. */
export const statementOf = {
  batch: ({ chain, number, previous, root, size, expiresAt, sealedAt }: BatchHeader) =>
    JSON.stringify(['batch', 1, chain, number, previous, root, size, expiresAt, sealedAt]),
  removal: ({ chain, number, positions, reason, removedAt }: Removal) =>
    JSON.stringify(['removal', 1, chain, number, positions, reason, removedAt]),
  head: ({ chain, number, digest }: ChainHead) =>
    JSON.stringify(['head', 1, chain, number, digest]),
}

/** The digest by which the next batch refers to this one. */
export function digestOf(header: BatchHeader): string {
  return sha256(statementOf.batch(header))
}

export function rootOf(leaves: Uint8Array): string {
  return sha256(leaves)
}

function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}
