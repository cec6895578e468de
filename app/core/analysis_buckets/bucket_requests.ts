import type pg from 'pg'

import type { Analysis } from '#core/analyses/analysis'
import { newMessage } from '#bus/message'
import { COMMAND_QUEUES, commandRouting } from '#bus/names'
import { isUuid } from '#kernel/is_uuid'
import { newId } from '#kernel/new_id'
import { publishCommands, type OrderedMessage } from '#outbox/publish'
import type { Row } from '#records/row'
import { statement } from '#query/sql/statement'
import { BUCKET_TYPES, type BucketType } from './analysis_bucket.js'

/** The analysis and the type that a bucket is requested for. */
export interface BucketRequest {
  readonly analysisId: string
  readonly type: BucketType
}

/** A request, with its correlation id, and the bucket that storage created for it. */
export interface FulfilledRequest {
  readonly id: string
  readonly type: BucketType
  readonly bucketId: string
}

const NAMES: Readonly<Record<BucketType, string>> = {
  CODE: 'analysis-code-files',
  RESULT: 'analysis-result-files',
  TEMP: 'analysis-temp-files',
}

/** A request without an answer is repeated after a minute. */
const REQUEST = {
  name: 'request-buckets',
  text: `insert into analysis_bucket_requests (correlation_id, analysis_id, type)
    select w.correlation_id, $1, w.type
    from unnest($2::text[], $3::text[]) as w (correlation_id, type)
    where not exists (
        select 1 from analysis_buckets b
        where b.analysis_id = $1 and b.type = w.type and b.built_in)
      and not exists (
        select 1 from analysis_bucket_requests r
        where r.analysis_id = $1 and r.type = w.type
          and (r.bucket_id is not null or r.requested_at > now() - interval '1 minute'))
    returning correlation_id as "correlationId", type`,
}

/** The request that a bucket with this name belongs to, if any. */
export function parseBucketName(name: string): BucketRequest | undefined {
  const type = BUCKET_TYPES.find((one) => name.startsWith(`${NAMES[one]}.`))
  const analysisId = type && name.slice(NAMES[type].length + 1)
  return type && analysisId && isUuid(analysisId) ? { analysisId, type } : undefined
}

/** Requests the buckets that an analysis lacks once the transaction commits. The caller has locked the analysis. */
export async function requestBuckets(
  transaction: pg.ClientBase,
  { id, realmId, configurationLocked }: Row<typeof Analysis>
): Promise<number> {
  const types = BUCKET_TYPES.filter((type) => type !== 'CODE' || !configurationLocked)
  const values = [id, types.map(() => newId()), types]
  const { rows } = await transaction.query<{ correlationId: string; type: BucketType }>({
    ...REQUEST,
    values,
  })
  const messages = rows.map(({ correlationId, type }) => {
    const name = `${NAMES[type]}.${id}`
    return command('create', { name, realmId, refType: 'analysis', refId: id }, { correlationId })
  })
  await publishCommands(transaction, messages)
  return messages.length
}

const COLLECT_BUCKETS = `
  with made as (
    delete from analysis_bucket_requests where analysis_id = $1 and bucket_id is not null
    returning bucket_id as id)
  select bucket_id as id from analysis_buckets where analysis_id = $1 union select id from made`

/** The buckets of an analysis that is about to be deleted, including created ones that are not added yet. */
export async function collectBuckets(
  transaction: pg.ClientBase,
  analysisId: string
): Promise<string[]> {
  const { rows } = await transaction.query<{ id: string }>(COLLECT_BUCKETS, [analysisId])
  return rows.map(({ id }) => id)
}

/** Sends commands to delete buckets that are not needed any more. */
export function deleteBuckets(transaction: pg.ClientBase, ids: readonly string[]): Promise<void> {
  return publishCommands(
    transaction,
    ids.map((id) => command('delete', { id }))
  )
}

const LOCK_ANALYSIS = `select 1 from analyses a join analysis_bucket_requests r on r.analysis_id = a.id
  where r.correlation_id = $1 for update of a`

const RECORD_BUCKET = `update analysis_bucket_requests set bucket_id = $2
  where correlation_id = $1 and bucket_id is null returning analysis_id as "analysisId", type`

const FULFILLED = `select correlation_id as id, type, bucket_id as "bucketId" from analysis_bucket_requests
  where analysis_id = $1 and bucket_id is not null order by requested_at, correlation_id`

const DELETE_BY_BUCKET = 'delete from analysis_bucket_requests where bucket_id = any($1)'

/** Records the bucket that storage created for a request. Locks the analysis. Returns undefined without a request. */
export async function recordCreated(
  transaction: pg.ClientBase,
  correlationId: string | undefined,
  bucketId: string
): Promise<BucketRequest | undefined> {
  if (correlationId === undefined) {
    return undefined
  }
  await transaction.query(statement(LOCK_ANALYSIS, [correlationId]))
  const { rows } = await transaction.query<BucketRequest>(
    statement(RECORD_BUCKET, [correlationId, bucketId])
  )
  return rows[0]
}

/** The requests of an analysis with a created bucket. */
export async function findFulfilled(
  transaction: pg.ClientBase,
  analysisId: string
): Promise<FulfilledRequest[]> {
  const { rows } = await transaction.query<FulfilledRequest>(statement(FULFILLED, [analysisId]))
  return rows
}

/** Deletes requests by the buckets that were created for them. */
export async function deleteRequests(
  transaction: pg.ClientBase,
  bucketIds: readonly string[]
): Promise<void> {
  await transaction.query(statement(DELETE_BY_BUCKET, [bucketIds]))
}

function command(
  type: 'create' | 'delete',
  data: Record<string, unknown>,
  metadata: Record<string, unknown> = {}
): OrderedMessage {
  const message = newMessage(commandRouting(COMMAND_QUEUES.storageBucket), type, data, metadata)
  return { message, orderedBy: `bucket/${data.id ?? data.name}` }
}
