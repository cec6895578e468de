import type { RemoteSurface } from '#auth/remote_surface'
import { orUnavailable } from '#auth/or_unavailable'
import { ownRequest } from '#auth/own_request'
import type { Inventory, InventoryBucket, InventoryFile } from './inventory.js'

/** The largest page that storage returns. */
const PAGE_SIZE = 50

type Serialized<T> = Omit<T, 'createdAt'> & { readonly createdAt: string }

/** The inventory of a storage that runs elsewhere, read over HTTP. */
export function remoteInventory(storage: RemoteSurface): Inventory {
  return {
    pageSize: PAGE_SIZE,
    findBuckets: (ids) => findExisting(storage, '/buckets', ids),
    findFiles: (ids) => findExisting(storage, '/bucket-files', ids),
    async listBuckets({ kind, id }, after) {
      const filter = `and(eq(actorId,'${id}'),eq(actorType,'${kind}'),gt(id,'${after}'))`
      const fields = 'id,name,createdAt'
      const records = await readPage<Serialized<InventoryBucket>>(storage, '/buckets', {
        filter,
        fields,
      })
      return records.map(parseTime)
    },
    async listFiles(bucketId, after) {
      const filter = `and(eq(bucketId,'${bucketId}'),gt(id,'${after}'))`
      const fields = 'id,bucketId,path,actorType,actorId,createdAt'
      const records = await readPage<Serialized<InventoryFile>>(storage, '/bucket-files', {
        filter,
        fields,
      })
      return records.map(parseTime)
    },
  }
}

async function findExisting(
  storage: RemoteSurface,
  path: string,
  ids: readonly string[]
): Promise<ReadonlySet<string>> {
  const existing = new Set<string>()
  for (let first = 0; first < ids.length; first += PAGE_SIZE) {
    const values = ids.slice(first, first + PAGE_SIZE).map((id) => `'${id}'`)
    const filter = `in(id,${values.join()})`
    const records = await readPage<{ id: string }>(storage, path, { filter, fields: 'id' })
    records.forEach(({ id }) => existing.add(id))
  }
  return existing
}

async function readPage<T>(
  storage: RemoteSurface,
  path: string,
  parameters: { readonly filter: string; readonly fields: string }
): Promise<readonly T[]> {
  const query = new URLSearchParams({
    ...parameters,
    'sort': 'id',
    'page[limit]': String(PAGE_SIZE),
  })
  const message = 'The inventory of storage is not available: try again shortly'
  return orUnavailable({ service: 'storage', message }, async () => {
    const { status, text } = await ownRequest(storage, `${path}?${query}`)
    if (status !== 200) {
      throw new Error(`status ${status}`)
    }
    return (JSON.parse(text) as { data: T[] }).data
  })
}

function parseTime<T extends { readonly createdAt: string }>({ createdAt, ...record }: T) {
  return { ...record, createdAt: new Date(createdAt) }
}
