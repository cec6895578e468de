import type pg from 'pg'

import type { Analysis } from '#core/analyses/analysis'
import { newMessage } from '#bus/message'
import { COMMAND_QUEUES, commandTo } from '#bus/names'
import { isUuid } from '#kernel/is_uuid'
import { newId } from '#kernel/new_id'
import { writeCommands, type OrderedMessage } from '#outbox/write'
import type { Row } from '#records/row'
import { BUCKET_TYPES, type BucketType } from './analysis_bucket.js'

/** For which analysis storage was asked for a bucket, and for what. */
export interface BucketRequest {
  readonly analysisId: string
  readonly type: BucketType
}

const NAMES: Readonly<Record<BucketType, string>> = {
  CODE: 'analysis-code-files',
  RESULT: 'analysis-result-files',
  TEMP: 'analysis-temp-files',
}

/** What storage has not answered after this time is asked for again. */
const ASK = {
  name: 'ask-for-buckets',
  text: `insert into analysis_bucket_requests (correlation_id, analysis_id, type)
    select w.correlation_id, $1, w.type
    from unnest($2::text[], $3::text[]) as w (correlation_id, type)
    where not exists (
        select 1 from analysis_buckets b where b.analysis_id = $1 and b.type = w.type)
      and not exists (
        select 1 from analysis_bucket_requests r
        where r.analysis_id = $1 and r.type = w.type and r.asked_at > now() - interval '1 minute')
    returning correlation_id as "correlationId", type`,
}

/** For which analysis, and for what, a bucket is that has this name; undefined where it is for none. */
export function requestNamed(name: string): BucketRequest | undefined {
  const type = BUCKET_TYPES.find((one) => name.startsWith(`${NAMES[one]}.`))
  const analysisId = type && name.slice(NAMES[type].length + 1)
  return type && analysisId && isUuid(analysisId) ? { analysisId, type } : undefined
}

/** Has storage make the buckets that an analysis lacks, once the transaction is kept; answers how many. The caller holds the analysis. */
export async function askForBuckets(
  transaction: pg.ClientBase,
  { id, realmId }: Row<typeof Analysis>
): Promise<number> {
  const values = [id, BUCKET_TYPES.map(() => newId()), BUCKET_TYPES]
  const { rows } = await transaction.query<{ correlationId: string; type: BucketType }>({
    ...ASK,
    values,
  })
  const messages = rows.map(({ correlationId, type }) => {
    const name = `${NAMES[type]}.${id}`
    return command('create', { name, realmId, refType: 'analysis', refId: id }, { correlationId })
  })
  await writeCommands(transaction, messages)
  return messages.length
}

/** The buckets of an analysis that is about to go, also those that are not entered yet. */
export async function bucketsOf(transaction: pg.ClientBase, analysisId: string): Promise<string[]> {
  const { rows } = await transaction.query<{ id: string }>(
    'select bucket_id as id from analysis_buckets where analysis_id = $1',
    [analysisId]
  )
  return rows.map(({ id }) => id)
}

/** Has storage delete buckets that nobody needs any more. */
export function giveBackBuckets(transaction: pg.ClientBase, ids: readonly string[]): Promise<void> {
  return writeCommands(
    transaction,
    ids.map((id) => command('delete', { id }))
  )
}

/** What a bucket was asked for; undefined where it was not. It is answered once. Its analysis is held, as by who removes that. */
export async function answeredRequest(
  transaction: pg.ClientBase,
  correlationId: string | undefined
): Promise<BucketRequest | undefined> {
  if (correlationId === undefined) {
    return undefined
  }
  await transaction.query(
    `select 1 from analyses a join analysis_bucket_requests r on r.analysis_id = a.id
     where r.correlation_id = $1 for update of a`,
    [correlationId]
  )
  const { rows } = await transaction.query<BucketRequest>(
    `delete from analysis_bucket_requests where correlation_id = $1
     returning analysis_id as "analysisId", type`,
    [correlationId]
  )
  return rows[0]
}

function command(
  type: 'create' | 'delete',
  data: Record<string, unknown>,
  metadata: Record<string, unknown> = {}
): OrderedMessage {
  const message = newMessage(commandTo(COMMAND_QUEUES.storageBucket), type, data, metadata)
  return { message, orderedBy: `bucket/${data.id ?? data.name}` }
}
