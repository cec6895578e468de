import { test } from '@japa/runner'

import { MOST_EVENT_BYTES, type EventBody } from '#telemetry/events/event'
import { REPORTED_ON_BUS } from '#telemetry/events/reporter'
import { storedEvent } from '#telemetry/events/stored_event'

const dataOf = (diff: Record<string, object>) => {
  const body: EventBody = { scope: 'entity', name: 'updated', refType: 'node', data: { diff } }
  return storedEvent(body, REPORTED_ON_BUS).data!
}

test.group('The stored data of an event', () => {
  test('stored data is whole where there is room for it', ({ assert }) => {
    const diff = { text: { next: 'n'.repeat(60_000), previous: null } }
    assert.deepEqual(JSON.parse(dataOf(diff)), { diff })
  })

  test('stored data has its texts cut where there is not', ({ assert }) => {
    const diff = {
      text: { next: 'n'.repeat(MOST_EVENT_BYTES), previous: 'ä'.repeat(MOST_EVENT_BYTES) },
      count: { next: 2, previous: 1 },
    }
    assert.deepEqual(JSON.parse(dataOf(diff)), {
      diff: { ...diff, text: { next: 'n'.repeat(256), previous: 'ä'.repeat(256) } },
    })
  })

  test('stored data is dropped if even that is too large', ({ assert }) => {
    const pair = { next: 'n'.repeat(256), previous: 'p'.repeat(256) }
    const names = Array.from({ length: 1_000 }, (_, number) => `attribute${number}`)
    assert.equal(dataOf(Object.fromEntries(names.map((name) => [name, pair]))), '{"diff":{}}')
  })
})
