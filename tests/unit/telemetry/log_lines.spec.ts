import { test } from '@japa/runner'
import fc from 'fast-check'

import { truncateText, normalizedLine } from '#telemetry/logs/normalized_line'
import { isoOf, parseInstant } from '#telemetry/logs/instant'
import { firstKeyAt, newLineKey, timeOfKey, uniqueOf } from '#telemetry/logs/line_key'
import { fieldsOf } from '#telemetry/logs/victorialogs/fields'
import { overrideClock } from '#kernel/clock'
import { anyText } from '#tests/helpers/query/any_text'

/** What a server drops silently. */
const DROPPED_FROM = 262_144

const input = (traits: object = {}) => ({
  message: 'something happened',
  service: 'hub-server-core',
  level: 'info' as const,
  channel: 'http' as const,
  ...traits,
})

test.group('Bounds of log lines', () => {
  test('always fit the limits of a server, whatever their labels', ({ assert }) => {
    const wide = anyText({ maxLength: 60 })
    const long = fc.record({ text: wide, times: fc.integer({ min: 1, max: 40_000 }) })
    const labels = fc.dictionary(
      wide,
      long.map(({ text, times }) => text.repeat(times).slice(0, 300_000)),
      { maxKeys: 6 }
    )
    fc.assert(
      fc.property(labels, wide, (sent, message) => {
        const line = normalizedLine(input({ labels: sent, message: message.repeat(500) }))
        assert.isBelow(Buffer.byteLength(fieldsOf(line)), DROPPED_FROM)
        assert.isAtMost(line.message.length, 4_096)
        assert.isNotEmpty(line.message)
        for (const [name, value] of Object.entries(line.labels)) {
          assert.match(name, /^[A-Za-z][\w.-]{0,127}$/)
          assert.isNotEmpty(value)
          assert.isTrue(value.isWellFormed())
        }
      }),
      { numRuns: 40 }
    )
  })

  test('lines keep labels that fit as they are', ({ assert }) => {
    const labels = { 'refType': 'node', 'a.b': '1', 'a-b': 'x'.repeat(1_000), 'toString': '2' }
    assert.deepEqual(normalizedLine(input({ labels })).labels, labels)
    const unkept = { level: 'error', service: 'x', channel: 'y', lineKey: 'z', _a: '1', empty: '' }
    assert.deepEqual(normalizedLine(input({ labels: { ...unkept, time: '1' } })).labels, {})
  })

  test('lines keep labels of other names under names like these', ({ assert }) => {
    const labels = {
      'ünï': '1',
      'sp ace': '2',
      'a:b': '3',
      '1st': '4',
      'a_b': '5',
      'labels.x': '6',
    }
    assert.deepEqual(normalizedLine(input({ labels: { ...labels, 日本: '7' } })).labels, {
      a_b: '5',
      n_: '1',
      sp_ace: '2',
      st: '4',
      x: '6',
    })
  })

  test('lines are not cut within a character', ({ assert }) => {
    assert.equal(truncateText('ab😀', 3), 'ab')
    assert.equal(truncateText('ab😀', 4), 'ab😀')
    assert.equal(truncateText('a\ud83d', 9), 'a\ufffd')
  })

  test('lines have keys that grow with the time and lead back to it', ({ assert }) => {
    const keys = [5, 1_700_000_000_000, 1_700_000_000_001].flatMap((now) => {
      const letGo = overrideClock({ now: () => now })
      const made = [newLineKey(), newLineKey('its-own')]
      letGo()
      return made
    })
    assert.deepEqual(keys.toSorted(), keys)
    assert.equal(timeOfKey(keys[2]!), 1_700_000_000_000)
    assert.equal(uniqueOf(keys[3]!), 'its-own')
    assert.isTrue(
      firstKeyAt(1_700_000_000_001) > keys[3]! && firstKeyAt(1_700_000_000_001) < keys[4]!
    )
    assert.isNaN(timeOfKey('another'))
  })
})

test.group('Moments', () => {
  test('{text} is {expected}')
    .with([
      { text: '2026-01-31T12:00:00Z', expected: '2026-01-31T12:00:00.000000000Z' },
      { text: '2026-01-31T12:00:00.123456789Z', expected: '2026-01-31T12:00:00.123456789Z' },
      { text: '2026-01-31T13:00:00.5+01:00', expected: '2026-01-31T12:00:00.500000000Z' },
      { text: '1769860800', expected: '2026-01-31T12:00:00.000000000Z' },
      { text: '1769860800.25', expected: '2026-01-31T12:00:00.250000000Z' },
      { text: '1769860800000', expected: '2026-01-31T12:00:00.000000000Z' },
      { text: '1769860800000001', expected: '2026-01-31T12:00:00.000001000Z' },
      { text: '1769860800000000001', expected: '2026-01-31T12:00:00.000000001Z' },
      { text: '-1', expected: '1969-12-31T23:59:59.000000000Z' },
      { text: '0', expected: '1970-01-01T00:00:00.000000000Z' },
    ])
    .run(({ assert }, { text, expected }) => {
      assert.equal(isoOf(parseInstant(text)!), expected)
    })

  test('{$self} is invalid')
    .with(['', 'soon', 'Infinity', 'NaN', '1e400', '1e30', '2026-13-45T00:00:00Z', '12:00', '0x'])
    .run(({ assert }, text) => {
      assert.isUndefined(parseInstant(text))
    })

  test('that cannot be written are the first that can', ({ assert }) => {
    assert.equal(isoOf(parseInstant('-99999999999')!), '0001-01-01T00:00:00.000000000Z')
  })
})
