import { test } from '@japa/runner'

import { ListTooLong, recordsOf, type PagesOptions } from '#client/pages'

const records = (from: number, count: number) =>
  Array.from({ length: Math.max(0, count) }, (_, index) => ({ id: from + index }))

/** A list of records that counts them. */
const counted = (total: number) => async (offset: number, size: number) => ({
  data: records(offset, Math.min(size, total - offset)),
  meta: { total },
})

async function idsOf(read: Parameters<typeof recordsOf>[0], options?: PagesOptions) {
  const found = await Array.fromAsync(recordsOf(read, options))
  return found.map((record) => (record as { id: number }).id)
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index)

test.group('The pages of a list', () => {
  test('yield all records', async ({ assert }) => {
    assert.deepEqual(await idsOf(counted(107)), upTo(107))
    assert.deepEqual(await idsOf(counted(100)), upTo(100))
    assert.deepEqual(await idsOf(counted(0)), [])
  })

  test('pages are read up to a limit', async ({ assert }) => {
    const sizes: number[] = []
    const read = (offset: number, size: number) => {
      sizes.push(size)
      return counted(1_000)(offset, size)
    }
    assert.deepEqual(await idsOf(read, { limit: 60 }), upTo(60))
    assert.deepEqual(sizes, [50, 10])
  })

  test('pages are read as they are needed', async ({ assert }) => {
    let requests = 0
    const read = async (offset: number) => {
      requests += 1
      return { data: records(offset, 50) }
    }
    for await (const { id } of recordsOf(read)) {
      if (id === 10) {
        break
      }
    }
    assert.equal(requests, 1)
  })

  test('pages end where a list without pages repeats itself', async ({ assert }) => {
    const all = records(0, 60)
    const found = await idsOf(async () => ({ data: all, meta: { total: 6_000 } }))
    assert.deepEqual(found, upTo(60))
  })

  test('pages end at a page that is not full, where nothing is counted', async ({ assert }) => {
    const read = async (offset: number) => ({ data: records(offset, offset < 100 ? 50 : 7) })
    assert.deepEqual(await idsOf(read), upTo(107))
  })

  test('pages are abandoned where they do not end', async ({ assert }) => {
    const endless = async (offset: number) => ({ data: records(offset, 50) })
    await assert.rejects(() => idsOf(endless, { mostRecords: 500 }), new ListTooLong(500).message)
  })
})
