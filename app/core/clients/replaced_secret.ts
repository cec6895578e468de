import { clock } from '#kernel/clock'
import type { Origin } from '#kernel/origin'
import type { Kind } from '#records/kind'
import { changeOf } from '#records/record_change'
import type { RecordServiceOptions } from '#records/record_service'
import { RecordStore } from '#records/record_store'
import { inTransaction } from '#records/transaction'

const UPSERT = `
  insert into replaced_secrets (record_id, replaced_at) values ($1, $2)
  on conflict (record_id) do update set replaced_at = excluded.replaced_at`

/** Records permanently when the secret of a client was replaced. The record of the client does not change. */
export function recordReplacedSecret(
  kind: Kind,
  { pool, sink }: RecordServiceOptions,
  origin: Origin,
  id: string
): Promise<void> {
  return inTransaction(pool, async (transaction) => {
    const record = await new RecordStore(kind, pool).lock(transaction, id)
    if (record) {
      await transaction.query(UPSERT, [id, new Date(clock.now())])
      const change = changeOf(kind, origin, { type: 'updated', previous: record, next: record })
      await sink.record(transaction, { ...change, replacesSecrets: true })
    }
  })
}
