import { test } from '@japa/runner'

import { MalformedMessage, newMessage, parseMessage, serializeMessage } from '#bus/message'
import { commandRouting, eventRouting } from '#bus/names'
import { overrideClock } from '#kernel/clock'

const NOW = 1_790_000_000_000
const sound = {
  id: 'k3',
  type: 'execute',
  data: { id: 'a' },
  metadata: { timestamp: NOW, routing: commandRouting('analysisBuilderCommands') },
}

const bytesOf = (value: unknown) => Buffer.from(JSON.stringify(value))

const MALFORMED: [string, Buffer, RegExp][] = [
  ['nothing', Buffer.alloc(0), /not JSON/],
  ['half a message', bytesOf(sound).subarray(0, 20), /not JSON/],
  ['bytes that are no text', Buffer.from([0xff, 0xfe, 0x00]), /not UTF-8/],
  ['more than fits', Buffer.alloc(16 * 1024 * 1024 + 1, ' '), /more than/],
  ['a list', bytesOf([sound]), /the message is not an object/],
  ['null', bytesOf(null), /the message is not an object/],
  ['a text', bytesOf('execute'), /the message is not an object/],
  ['a number as id', bytesOf({ ...sound, id: 7 }), /^id /],
  ['an empty id', bytesOf({ ...sound, id: '' }), /^id /],
  ['an endless id', bytesOf({ ...sound, id: 'x'.repeat(256) }), /^id /],
  ['an id the database cannot keep', bytesOf({ ...sound, id: 'a\u0000b' }), /^id /],
  ['no type', bytesOf({ ...sound, type: undefined }), /^type /],
  ['a list as data', bytesOf({ ...sound, data: [] }), /^data /],
  ['no data', bytesOf({ ...sound, data: null }), /^data /],
  ['no metadata', bytesOf({ ...sound, metadata: undefined }), /^metadata /],
  ['a text as metadata', bytesOf({ ...sound, metadata: 'x' }), /^metadata /],
  ['depth without end', Buffer.from('['.repeat(200_000)), /not (JSON|an object)/],
]

test.group('Messages of the bus', () => {
  test('a message has an id of 21 lowercase letters and digits, a timestamp and its routing', ({
    assert,
    cleanup,
  }) => {
    cleanup(overrideClock({ now: () => NOW }))
    const message = newMessage(eventRouting('domain.node.created'), 'created', { id: 'a' })
    assert.match(message.id, /^[0-9a-z]{21}$/)
    assert.deepEqual(message.metadata, {
      timestamp: NOW,
      routing: { type: 'pubSub', key: 'domain.node.created' },
    })
  })

  test('ids use all letters alike', ({ assert }) => {
    const counts = new Map<string, number>()
    for (let round = 0; round < 4_000; round++) {
      for (const letter of newMessage(eventRouting('x'), 'x', {}).id) {
        counts.set(letter, (counts.get(letter) ?? 0) + 1)
      }
    }
    const expected = (4_000 * 21) / 36
    assert.lengthOf([...counts], 36)
    for (const [letter, count] of counts) {
      assert.closeTo(count, expected, expected * 0.12, letter)
    }
  })

  test('a message is parsed as it was written, including unknown metadata', ({ assert }) => {
    const routing = commandRouting('storageBucketTasks')
    const message = newMessage(
      routing,
      'create',
      { name: 'ä😀' },
      { correlationId: 'c', extra: [1] }
    )
    assert.deepEqual(parseMessage(serializeMessage(message)), message)
  })

  test('further metadata cannot replace its routing', ({ assert }) => {
    const message = newMessage(
      eventRouting('a'),
      'x',
      {},
      { routing: eventRouting('b'), timestamp: 5 }
    )
    assert.deepEqual(message.metadata, { timestamp: 5, routing: eventRouting('a') })
  })

  for (const [what, bytes, reason] of MALFORMED) {
    test(`a message cannot be ${what}`, ({ assert }) => {
      const error = refusalOf(bytes)
      assert.instanceOf(error, MalformedMessage)
      assert.match(error.message, reason)
    })
  }

  test('wrong or missing metadata gets defaults', ({ assert, cleanup }) => {
    cleanup(overrideClock({ now: () => NOW }))
    const metadata = {
      timestamp: 'yesterday',
      routing: 7,
      correlationId: {},
      persistent: 'no',
      other: 1,
    }
    const arrivedBy = eventRouting('analysisBuilderEvents')
    assert.deepEqual(parseMessage(bytesOf({ ...sound, metadata }), arrivedBy).metadata, {
      timestamp: NOW,
      routing: arrivedBy,
      other: 1,
    })
  })

  test('names of built-in properties change no object', ({ assert }) => {
    const text = `{"id":"a","type":"x","data":{"__proto__":{"isAdmin":true}},"metadata":{"__proto__":{"persistent":true}}}`
    const message = parseMessage(Buffer.from(text))
    assert.isUndefined(message.data.isAdmin)
    assert.isUndefined(message.metadata.persistent)
    assert.isUndefined(({} as Record<string, unknown>).isAdmin)
  })
})

function refusalOf(bytes: Buffer): Error {
  try {
    parseMessage(bytes)
  } catch (error) {
    return error as Error
  }
  throw new Error('It was read')
}
