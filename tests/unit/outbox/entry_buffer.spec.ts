import { test } from '@japa/runner'

import { DESTINATIONS } from '#outbox/entry'
import { EntryBuffer } from '#outbox/entry_buffer'

const { audit, bus, pubsub } = DESTINATIONS
const ALL = audit | bus | pubsub

test.group('EntryBuffer', () => {
  test('an entry is marked once, when all its destinations have it', ({ assert }) => {
    const buffer = new EntryBuffer()
    assert.equal(buffer.take(1, ALL, ALL), ALL)
    assert.isFalse(buffer.markReached(1, audit, 0))
    assert.isFalse(buffer.markReached(1, pubsub, 0))
    assert.isUndefined(buffer.dueInMs(0))
    assert.deepEqual(buffer.takeMarks(), [])
    assert.isTrue(buffer.markReached(1, bus, 100))
    assert.equal(buffer.dueInMs(105), 15)
    assert.deepEqual(buffer.takeMarks(), [{ position: 1, destinations: ALL, isLast: true }])
    assert.isUndefined(buffer.dueInMs(105))
  })

  test('marks of the first entries are due together', ({ assert }) => {
    const buffer = new EntryBuffer()
    buffer.take(1, bus, ALL)
    buffer.take(2, bus, ALL)
    assert.isTrue(buffer.markReached(1, bus, 0))
    assert.isFalse(buffer.markReached(2, bus, 10))
    assert.equal(buffer.dueInMs(10), 10)
    assert.lengthOf(buffer.takeMarks(), 2)
  })

  test('while a destination is away, an entry is marked for those that have it', ({ assert }) => {
    const buffer = new EntryBuffer()
    buffer.take(1, ALL, audit | pubsub)
    buffer.take(2, ALL, audit | pubsub)
    buffer.markReached(1, audit, 0)
    buffer.waitsForAll = false
    assert.isTrue(buffer.markReached(2, audit, 0))
    const marks = buffer.takeMarks()
    assert.deepEqual(marks, [
      { position: 1, destinations: audit, isLast: false },
      { position: 2, destinations: audit, isLast: false },
    ])
    buffer.remove(marks)
    buffer.markReached(1, pubsub, 0)
    assert.deepEqual(buffer.takeMarks(), [{ position: 1, destinations: pubsub, isLast: false }])
  })

  test('an entry that was sent to one destination is read again for the others only', ({
    assert,
  }) => {
    const buffer = new EntryBuffer()
    assert.equal(buffer.take(1, ALL, bus), bus)
    assert.deepEqual(buffer.positionsTakenFor(bus), [1])
    assert.deepEqual(buffer.positionsTakenFor(ALL), [])
    assert.equal(buffer.take(1, ALL, ALL), audit | pubsub)
    assert.deepEqual(buffer.positionsTakenFor(ALL), [1])
  })

  test('a read that began before the marks were written does not bring an entry back', ({
    assert,
  }) => {
    const buffer = new EntryBuffer()
    buffer.take(1, ALL, bus)
    buffer.waitsForAll = false
    buffer.markReached(1, bus, 0)
    const marks = buffer.takeMarks()
    assert.equal(buffer.take(1, ALL, ALL), audit | pubsub)
    buffer.remove(marks)
    assert.deepEqual(buffer.positionsTakenFor(audit | pubsub), [1])
  })
})
