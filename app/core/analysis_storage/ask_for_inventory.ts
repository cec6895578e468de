import type { Elsewhere } from '#auth/own_fetch'
import { ownRequest } from '#auth/own_request'
import { ServiceUnavailable } from '#kernel/failures'
import type { Inventory, KeptBucket, KeptFile } from './inventory.js'

/** The largest page that storage answers with. */
const PAGE = 50

type Told<T> = Omit<T, 'createdAt'> & { readonly createdAt: string }

/** What storage has, asked at its address. */
export function askForInventory(storage: Elsewhere): Inventory {
  return {
    pageSize: PAGE,
    knownBuckets: (ids) => known(storage, '/buckets', ids),
    knownFiles: (ids) => known(storage, '/bucket-files', ids),
    async bucketsOf({ kind, id }, after) {
      const filter = `and(eq(actorId,'${id}'),eq(actorType,'${kind}'),gt(id,'${after}'))`
      const fields = 'id,name,createdAt'
      const told = await page<Told<KeptBucket>>(storage, '/buckets', { filter, fields })
      return told.map(withTime)
    },
    async filesIn(bucketId, after) {
      const filter = `and(eq(bucketId,'${bucketId}'),gt(id,'${after}'))`
      const fields = 'id,bucketId,path,actorType,actorId,createdAt'
      const told = await page<Told<KeptFile>>(storage, '/bucket-files', { filter, fields })
      return told.map(withTime)
    },
  }
}

async function known(
  storage: Elsewhere,
  path: string,
  ids: readonly string[]
): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  for (let first = 0; first < ids.length; first += PAGE) {
    const asked = ids.slice(first, first + PAGE).map((id) => `'${id}'`)
    const filter = `in(id,${asked.join()})`
    const records = await page<{ id: string }>(storage, path, { filter, fields: 'id' })
    records.forEach(({ id }) => found.add(id))
  }
  return found
}

async function page<T>(
  storage: Elsewhere,
  path: string,
  wanted: { readonly filter: string; readonly fields: string }
): Promise<readonly T[]> {
  const query = new URLSearchParams({ ...wanted, 'sort': 'id', 'page[limit]': String(PAGE) })
  try {
    const { status, text } = await ownRequest(storage, `${path}?${query}`)
    if (status !== 200) {
      throw new Error(`it answered with the status ${status}`)
    }
    return (JSON.parse(text) as { data: T[] }).data
  } catch (error) {
    const cause = new Error(`storage was asked in vain: ${(error as Error).message}`)
    const message = 'What storage has cannot be told now; try again shortly'
    throw new ServiceUnavailable(message, { cause, headers: { 'retry-after': '5' } })
  }
}

function withTime<T extends { readonly createdAt: string }>({ createdAt, ...record }: T) {
  return { ...record, createdAt: new Date(createdAt) }
}
