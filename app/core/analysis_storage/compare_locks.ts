import type { BucketLock } from '#core/code_locks/bucket_locks'
import { LOCK_RELEASES } from '#core/code_locks/lock_releases'
import type { DatabasePool } from '#database/database_pool'
import { inTransaction } from '#records/transaction'
import {
  isOlder,
  SETTLED_AFTER_MS,
  type ComparisonContext,
  type ComparisonSteps,
} from './comparison.js'
import { pagesById } from './pages.js'

const PAGE_SIZE = 100

const WITHOUT_LOCK = `select a.id from analyses a
  where a.configuration_locked and a.id > $1
    and not exists (select 1 from analysis_code_locks l where l.analysis_id = a.id)
  order by a.id limit ${PAGE_SIZE}`

const WITHOUT_ANALYSIS = `select l.id, l.analysis_id as "analysisId" from analysis_code_locks l
  where l.id > $1
    and not exists (select 1 from analyses a where a.id = l.analysis_id and a.configuration_locked)
  order by l.id limit ${PAGE_SIZE}`

const LOCKS = `select l.id, array(
    select b.bucket_id::text from analysis_buckets b
    where b.analysis_id = l.analysis_id and b.type = 'CODE') as "bucketIds"
  from analysis_code_locks l where l.id > $1 order by l.id limit ${PAGE_SIZE}`

const CONFIRMED = 'select id from analysis_code_locks where id = any($1::uuid[])'

/** A lock that is being created or released has a task. */
const EXISTING = `select id::text from analysis_code_locks where id = any($1::uuid[])
  union all select key from tasks where queue = '${LOCK_RELEASES.name}' and key = any($1::text[])`

/** Ensures that storage locks the code of all locked analyses, and nothing else. */
export async function* compareLocks(context: ComparisonContext): ComparisonSteps {
  yield* addMissingLocks(context)
  yield* releaseUnneeded(context)
  yield* lockAtStorage(context)
  yield* releaseUnknown(context)
}

/** An analysis may have been locked before storage supported locks, or without a command. */
async function* addMissingLocks(context: ComparisonContext): ComparisonSteps {
  const { pool, upkeep, codeLocks, repairs } = context
  for await (const page of pagesOf<{ id: string }>(pool, WITHOUT_LOCK)) {
    for (const { id } of page) {
      await inTransaction(pool, async (transaction) => {
        const analysis = await upkeep.lock(transaction, id)
        if (analysis?.configurationLocked) {
          await codeLocks.add(transaction, id)
        }
      })
      repairs.locked++
      yield
    }
  }
}

async function* releaseUnneeded(context: ComparisonContext): ComparisonSteps {
  const { pool, upkeep, codeLocks, repairs } = context
  for await (const page of pagesOf<{ id: string; analysisId: string }>(pool, WITHOUT_ANALYSIS)) {
    for (const { analysisId } of page) {
      await inTransaction(pool, async (transaction) => {
        const analysis = await upkeep.lock(transaction, analysisId)
        if (!analysis?.configurationLocked) {
          await codeLocks.release(transaction, analysisId)
        }
      })
      repairs.released++
      yield
    }
  }
}

/** Storage may have been restored from a backup. Locks that were released meanwhile are released again. */
async function* lockAtStorage({ pool, locks }: ComparisonContext): ComparisonSteps {
  for await (const page of pagesOf<BucketLock>(pool, LOCKS)) {
    await locks.lock(page)
    for (const id of await findUnknown(pool, CONFIRMED, page)) {
      await locks.release(id)
    }
    yield
  }
}

/** Core may have been restored from a backup, or stopped between two steps. */
async function* releaseUnknown({ pool, locks, repairs }: ComparisonContext): ComparisonSteps {
  for await (const page of pagesById(locks.pageSize, (after) => locks.list(after))) {
    const settled = page.filter(({ createdAt }) => isOlder(createdAt, SETTLED_AFTER_MS))
    for (const id of await findUnknown(pool, EXISTING, settled)) {
      await locks.release(id)
      repairs.released++
    }
    yield
  }
}

function pagesOf<T extends { readonly id: string }>(pool: DatabasePool, text: string) {
  return pagesById(PAGE_SIZE, async (after) => {
    const { rows } = await pool.query<T>(text, [after])
    return rows
  })
}

async function findUnknown(
  pool: DatabasePool,
  query: string,
  locks: readonly { readonly id: string }[]
): Promise<string[]> {
  const ids = locks.map(({ id }) => id)
  const { rows } = await pool.query<{ id: string }>(query, [ids])
  const existing = new Set(rows.map(({ id }) => id))
  return ids.filter((id) => !existing.has(id))
}
