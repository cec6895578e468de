import { enforce, requiresInMasterRealm } from '#kernel/access'
import type { Origin } from '#kernel/origin'
import { clock } from '#kernel/clock'
import { storagePool } from '#storage/database'

/** What files take up. Copies, versions and free space of the object store itself are not counted. */
export interface Usage {
  readonly buckets: number
  readonly files: number
  readonly bytes: number
  readonly countedAt: string
}

export const USAGE_ACCESS = requiresInMasterRealm('service_manage')

/** Counting reads all rows, so that it is not repeated for each reader. */
const MAX_AGE_MS = 60_000

const COUNT = `
  select (select count(*) from buckets)::float8 as buckets, count(*)::float8 as files,
    coalesce(sum(size), 0)::float8 as bytes
  from bucket_files`

/** Reports to operators how much is stored. */
export class StorageUsage {
  #last: { readonly usage: Promise<Usage>; readonly at: number } | undefined

  read({ actor }: Origin): Promise<Usage> {
    enforce(USAGE_ACCESS, actor)
    if (this.#last === undefined || clock.now() - this.#last.at > MAX_AGE_MS) {
      const usage = count()
      usage.catch(() => {
        this.#last = undefined
      })
      this.#last = { usage, at: clock.now() }
    }
    return this.#last.usage
  }
}

async function count(): Promise<Usage> {
  const countedAt = new Date(clock.now()).toISOString()
  const { rows } = await storagePool().query<Omit<Usage, 'countedAt'>>(COUNT)
  return { ...rows[0]!, countedAt }
}
