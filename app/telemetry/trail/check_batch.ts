import { leafOf, LEAF_BYTES, type SealedEvent } from './leaf.js'
import type { SignedRemoval, StoredBatch } from './read_chain.js'
import { digestOf, rootOf, statementOf } from './statements.js'
import type { TrailKey } from './trail_key.js'

/** A deviation of the trail from what the platform wrote. */
export type Finding =
  /** A batch differs from what was signed, or does not succeed the previous one. */
  | { readonly type: 'broken'; readonly chain: string; readonly number: number }
  /** Batches are missing at the end of a chain. */
  | { readonly type: 'cut'; readonly chain: string; readonly number: number }
  | {
      readonly type: 'changed' | 'missing'
      readonly chain: string
      readonly number: number
      readonly id: string
    }
  | { readonly type: 'inserted'; readonly chain: string; readonly id: string }

export interface CheckedBatch {
  readonly findings: readonly Finding[]
  /** Its events that exist in the database, changed or not. */
  readonly present: readonly SealedEvent[]
  readonly removed: number
  readonly digest: string
}

export interface Predecessor {
  readonly number: number
  readonly digest: string | null
}

/** Compares a batch with its signature, and its events with their leaves. */
export function checkBatch(batch: StoredBatch, before: Predecessor, key: TrailKey): CheckedBatch {
  const { header, ids } = batch
  const { chain, number } = header
  const findings: Finding[] = []
  if (!isIntact(batch, before, key)) {
    findings.push({ type: 'broken', chain, number })
  }
  const removed = removedPositions(batch, key)
  const present: SealedEvent[] = []
  for (const [position, id] of ids.entries()) {
    const event = batch.events.get(id)
    const leaf = batch.leaves.subarray(position * LEAF_BYTES, (position + 1) * LEAF_BYTES)
    if (event) {
      present.push(event)
    }
    if (removed.has(position)) {
      findings.push(...(event ? [{ type: 'inserted' as const, chain, id }] : []))
    } else if (!event) {
      findings.push({ type: 'missing', chain, number, id })
    } else if (!leafOf(event).equals(leaf)) {
      findings.push({ type: 'changed', chain, number, id })
    }
  }
  return { findings, present, removed: removed.size, digest: digestOf(header) }
}

function isIntact(
  { header, signature, ids, leaves }: StoredBatch,
  before: Predecessor,
  key: TrailKey
): boolean {
  return (
    header.number === before.number + 1 &&
    header.previous === before.digest &&
    header.size === ids.length &&
    leaves.length === ids.length * LEAF_BYTES &&
    rootOf(leaves) === header.root &&
    key.verifies(statementOf.batch(header), signature)
  )
}

/** Positions of events that the platform removed. Unsigned and premature removals do not count. */
export function removedPositions(batch: StoredBatch, key: TrailKey): Set<number> {
  const { header, ids } = batch
  const removed = new Set<number>()
  for (const removal of batch.removals) {
    const removalStatement = parseRemoval(removal, key)
    const isExpiry = removalStatement?.reason === 'expired'
    const isOfThisBatch =
      removalStatement?.chain === header.chain && removalStatement.number === header.number
    const isInTime =
      !isExpiry || (header.expiresAt !== null && header.expiresAt <= removalStatement.removedAt)
    if (removalStatement && isOfThisBatch && isInTime) {
      const which = removalStatement.positions ?? ids.keys()
      for (const position of which) {
        removed.add(position)
      }
    }
  }
  return removed
}

interface RemovalStatement {
  readonly chain: string
  readonly number: number
  readonly positions: readonly number[] | null
  readonly reason: string
  readonly removedAt: string
}

function parseRemoval(
  { statement, signature }: SignedRemoval,
  key: TrailKey
): RemovalStatement | undefined {
  if (!key.verifies(statement, signature)) {
    return undefined
  }
  const [type, , chain, number, removalStatement, reason, removedAt] = JSON.parse(statement)
  return type === 'removal'
    ? { chain, number, positions: removalStatement, reason, removedAt }
    : undefined
}
