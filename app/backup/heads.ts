import type { HeadAnchor } from '#telemetry/trail/head_anchor'
import type { BackupClient } from './backup_client.js'
import type { AnchoredHead } from './manifest.js'

/**
 * Reads the chain heads that are stored outside the database. They are read before the snapshot, so none is ahead of
 * the trail in it, and a truncated backup is detected after a restoration.
 */
export async function readHeads(anchor: HeadAnchor): Promise<AnchoredHead[]> {
  const heads: AnchoredHead[] = []
  for (const chain of await anchor.chains()) {
    const head = await anchor.read(chain)
    if (head) {
      const { number, digest, signature } = head
      heads.push({ chain, number, digest, signature: Buffer.from(signature).toString('base64') })
    }
  }
  return heads
}

/** Restores the heads. Later events are anchored as usual. */
export async function restoreHeads(
  anchor: HeadAnchor,
  heads: readonly AnchoredHead[],
  client: BackupClient
): Promise<void> {
  for (const { signature, ...head } of heads) {
    await anchor.write({ ...head, signature: Buffer.from(signature, 'base64') })
  }
  await client.query(
    `update event_chains c set anchored = coalesce(h.number, 0)
     from event_chains e left join unnest($1::text[], $2::bigint[]) h (chain, number) using (chain)
     where c.chain = e.chain`,
    [heads.map(({ chain }) => chain), heads.map(({ number }) => number)]
  )
}
