import app from '@adonisjs/core/services/app'

import type { Origin } from '#kernel/origin'
import { storagePool } from '#storage/database'
import { AnalysisLocked, isLocked } from './bucket_locks.js'
import { CodeRecords, type LockedRemoval } from './code_records.js'

interface Removal<T> {
  readonly origin: Origin
  readonly bucketId: string
  readonly removal: LockedRemoval
  /** Throws `AnalysisLocked` if the bucket is locked, unless core has removed its records. */
  readonly perform: (isAgreed: boolean) => Promise<T>
}

/** Removes from a bucket, and at core first if the bucket is locked, also if that happens meanwhile. */
export async function removeAgreed<T>(request: Removal<T>): Promise<T> {
  const { origin, bucketId, removal, perform } = request
  if (!(await isLocked(storagePool(), bucketId))) {
    try {
      return await perform(false)
    } catch (error) {
      if (!(error instanceof AnalysisLocked)) {
        throw error
      }
    }
  }
  const records = await app.container.make(CodeRecords)
  await records.remove(origin, removal)
  return perform(true)
}
