import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { test } from '@japa/runner'

import { Addresses } from '#hubctl/platform/addresses'
import { Api } from '#hubctl/platform/api'
import { allOf } from '#hubctl/platform/pages'
import { fixedToken } from '#client/credentials'

/** A platform whose list answers whatever is asked for with what `answer` makes of the offset. */
async function platform(answer: (offset: number) => object) {
  let requests = 0
  const server = createServer((request, response) => {
    requests += 1
    const { searchParams } = new URL(request.url!, 'http://platform')
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(answer(Number(searchParams.get('page[offset]')))))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const api = new Api(new Addresses(`http://127.0.0.1:${port}`), fixedToken('token'))
  return { api, requests: () => requests, close: () => void server.close() }
}

const records = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({ id: `record-${from + index}` }))

test.group('A list that hubctl reads to its end', () => {
  for (const [what, count, answer] of [
    ['it counts no records', 1, () => ({ data: records(0, 1) })],
    [
      'it has no pages and counts more than it shows',
      2,
      () => ({
        data: records(0, 60),
        meta: { total: 6_000 },
      }),
    ],
    [
      'it has full pages without a count',
      3,
      (offset: number) => ({
        data: records(offset, offset < 100 ? 50 : 0),
        meta: {},
      }),
    ],
    [
      'it has pages and a count',
      2,
      (offset: number) => ({
        data: records(offset, offset === 0 ? 50 : 7),
        meta: { total: 57 },
      }),
    ],
  ] as const) {
    test(`a list ends where ${what}`, async ({ assert, cleanup }) => {
      const { api, requests, close } = await platform(answer)
      cleanup(close)
      const all = await allOf(api, 'core', '/things')

      assert.equal(requests(), count)
      assert.equal(new Set(all.map(({ id }) => id)).size, all.length)
    })
  }

  test('a list is refused where it has no end', async ({ assert, cleanup }) => {
    const { api, requests, close } = await platform((offset) => ({ data: records(offset, 50) }))
    cleanup(close)

    await assert.rejects(
      () => allOf(api, 'core', '/things', { mostRecords: 500 }),
      'The list has more than 500 records.'
    )
    assert.equal(requests(), 10)
  })
})
