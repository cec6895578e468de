import { test } from '@japa/runner'

import { leafOf, type SealedEvent } from '#telemetry/trail/leaf'

const EVENT: SealedEvent = {
  id: '5a3b1c52-6f1e-4d0a-9c55-0d6a3f0b7a11',
  scope: 'entity',
  name: 'updated',
  refType: 'node',
  refId: null,
  data: null,
  expiring: false,
  requestPath: null,
  requestMethod: null,
  requestIpAddress: null,
  requestUserAgent: null,
  actorType: null,
  actorId: null,
  actorName: null,
  realmId: null,
  expiresAt: null,
  createdAt: '2026-01-31T12:00:00.000Z',
  updatedAt: '2026-01-31T12:00:00.000Z',
  reportedBy: null,
}

const leaf = (data: unknown) => leafOf({ ...EVENT, data }).toString('hex')

test.group('The leaf of an event', () => {
  test('the leaf does not depend on the order of {0}')
    .with([
      ['its attributes', { a: 1, b: 2 }, { b: 2, a: 1 }],
      ['inner ones', { x: { a: 1, b: 2 } }, { x: { b: 2, a: 1 } }],
      ['those in lists', { x: [0, { a: 1, b: 2 }] }, { x: [0, { b: 2, a: 1 }] }],
      ['those that look like numbers', { 2: 1, 10: 2, a: 3 }, { a: 3, 10: 2, 2: 1 }],
    ] as [string, unknown, unknown][])
    .run(({ assert }, [, one, other]) => {
      assert.equal(leaf(one), leaf(other))
    })

  test('distinguishes lists in another order, and other values', ({ assert }) => {
    const leaves = [[1, 2], [2, 1], { a: 1, b: 2 }, { a: 2, b: 1 }, null].map(leaf)
    assert.lengthOf([...new Set(leaves)], leaves.length)
  })

  test('the leaf covers who reported the event, where that is known', ({ assert }) => {
    const reporters = [null, { id: null, realmId: null, type: 'bus' }, { id: 'a', type: 'user' }]
    const leaves = reporters.map((reportedBy) => leafOf({ ...EVENT, reportedBy }).toString('hex'))
    assert.lengthOf([...new Set(leaves)], leaves.length)
    const other = leafOf({ ...EVENT, reportedBy: { type: 'bus', realmId: null, id: null } })
    assert.equal(other.toString('hex'), leaves[1])
  })

  test('the leaf does not change', ({ assert }) => {
    assert.equal(leaf({ diff: { name: { previous: 'A', next: 'B' } } }), WRITTEN_BEFORE)
  })
})

/** Sealed trails have to verify for years. */
const WRITTEN_BEFORE = 'eb5b38c7901d9cff55d3073f49b1f6d39c326d5c28c8290766d787a5448d7902'
