import { randomUUID } from 'node:crypto'

import type pg from 'pg'

import { coreSettings } from '#core/core_settings'
import { inTransaction } from '#records/transaction'
import { ownRows } from '#adopt/rows/own_rows'
import type { Recorder } from './findings.js'
import { settleCore } from './settle.js'
import { storageDifferences, type StorageDifference } from './storage_differences.js'

const AT_ONCE = 500

/** The report about a difference, and its correction. */
export const SETTLED: Readonly<Record<StorageDifference['problem'], string>> = {
  'file unlisted': 'was in storage, but core did not list it: listed now, approvals stay',
  'file missing': 'was listed by core, but is not in storage: not listed now, approvals stay',
  'bucket missing': 'was listed by core, but is not in storage: not listed now, approvals stay',
}

/** Analyses that were made here are the sweep's. */
const ADOPTED = `id in (select r.id from adopted_rows r where r.table_name = 'analysis_buckets')`

const STORED = `select f.id, f.path, f.actor_type as "actorType", f.actor_id as "actorId",
    to_json(f.created_at) as "createdAt", to_json(f.updated_at) as "updatedAt"
  from bucket_files f where id = any($1::uuid[])`

const LIST = `insert into analysis_bucket_files (id, path, root, bucket_id, bucket_file_id, user_id, client_id,
    robot_id, realm_id, analysis_id, analysis_bucket_id, created_at, updated_at)
  select g.id, g.path, false, b.bucket_id, g.file, case when g.actor_type = 'user' then g.actor_id end,
    case when g.actor_type = 'client' then g.actor_id end, case when g.actor_type = 'robot' then g.actor_id end,
    b.realm_id, b.analysis_id, b.id, g.created_at, g.updated_at
  from json_to_recordset($1::json) as g(id uuid, bucket uuid, file uuid, path text, actor_type text, actor_id uuid,
    created_at timestamptz, updated_at timestamptz)
  join analysis_buckets b on b.id = g.bucket
  on conflict do nothing`

/** The entry point of an analysis may have been one of the missing files. */
const SETTLE_ENTRYPOINTS = `update analyses a set configuration_entrypoint_valid = g.valid
  from (select o.id, exists (
      select from analysis_bucket_files f join analysis_buckets b on b.id = f.analysis_bucket_id
      where f.analysis_id = o.id and f.root and b.type = 'CODE') as valid
    from analyses o where o.id = any($1::uuid[])) g
  where g.id = a.id and a.configuration_entrypoint_valid <> g.valid`

interface StoredRow {
  readonly id: string
  readonly path: string
  readonly actorType: string | null
  readonly actorId: string | null
  readonly createdAt: string
  readonly updatedAt: string
}

interface Databases {
  readonly core: pg.Pool
  readonly storage: pg.Pool
}

/**
 * Lets core list what storage has before the sweeps do, which would withdraw approvals of the changed content, and
 * relates the approvals to the content as it is then. Returns why it cannot, if so.
 */
export async function settleStorage(
  { core, storage }: Databases,
  record: Recorder
): Promise<string | undefined> {
  const found: StorageDifference[] = []
  const sides = { core: ownRows(core), storage: ownRows(storage) }
  for await (const one of storageDifferences(sides, ADOPTED)) {
    found.push(one)
  }
  const missing = found.filter(({ problem }) => problem === 'bucket missing').length
  const { bucketRemovalLimit: limit } = coreSettings()
  if (missing > limit) {
    return (
      `${missing} buckets of analyses are not in storage, so nothing was settled. Adopt storage, too; if they are ` +
      `gone, set STORAGE_GONE_AT_ONCE=${missing} (now ${limit}) and run the command again`
    )
  }
  for (let at = 0; at < found.length; at += AT_ONCE) {
    await settle({ core, storage }, found.slice(at, at + AT_ONCE))
  }
  found.forEach((one) => record(SETTLED[one.problem], idOf(one)))
  if (found.length > 0) {
    await settleCore(core)
  }
  return undefined
}

export const idOf = (one: StorageDifference): string =>
  one.problem === 'bucket missing' ? one.bucket.bucketId : one.fileId

async function settle(
  { core, storage }: Databases,
  found: readonly StorageDifference[]
): Promise<void> {
  const missing = found.filter((one) => one.problem === 'file missing')
  const gone = found.filter((one) => one.problem === 'bucket missing')
  const unlisted = found.filter((one) => one.problem === 'file unlisted')
  const { rows } = await storage.query<StoredRow>(STORED, [unlisted.map(({ fileId }) => fileId)])
  const stored = new Map(rows.map((row) => [row.id, row]))
  const entries = unlisted.flatMap(({ bucket, fileId }) => {
    const file = stored.get(fileId)
    return file ? [entryOf(bucket.id, file)] : []
  })
  await inTransaction(core, async (transaction) => {
    await transaction.query(
      `delete from analysis_bucket_files f using unnest($1::uuid[], $2::uuid[]) as g (bucket, file)
       where f.analysis_bucket_id = g.bucket and f.bucket_file_id = g.file`,
      [missing.map(({ bucket }) => bucket.id), missing.map(({ fileId }) => fileId)]
    )
    await transaction.query('delete from analysis_buckets where id = any($1::uuid[])', [
      gone.map(({ bucket }) => bucket.id),
    ])
    await transaction.query(LIST, [JSON.stringify(entries)])
    await transaction.query(SETTLE_ENTRYPOINTS, [found.map(({ bucket }) => bucket.analysisId)])
  })
}

const entryOf = (bucket: string, file: StoredRow) => ({
  id: randomUUID(),
  bucket,
  file: file.id,
  path: file.path,
  actor_type: file.actorType,
  actor_id: file.actorId,
  created_at: file.createdAt,
  updated_at: file.updatedAt,
})
