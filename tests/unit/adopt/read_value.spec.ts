import { test } from '@japa/runner'

import { readValue } from '#adopt/rows/read_value'
import { UnreadableValue } from '#adopt/rows/unreadable_value'

const ID = 'aabbccdd-0000-4000-8000-00000000000f'

test.group('Values of a former database', () => {
  for (const [type, text, value] of [
    ['uuid', ID.toUpperCase(), ID],
    ['boolean', 't', true],
    ['boolean', '0', false],
    ['boolean', '\u0001', true],
    ['integer', '-7', -7],
    ['bigint', '5000000001', '5000000001'],
    ['time', '2026-11-01 00:00:01.123789', '2026-11-01T00:00:01.123Z'],
    ['time', '2026-11-01 00:00:01.5', '2026-11-01T00:00:01.500Z'],
    ['time', '2026-11-01 00:00:01', '2026-11-01T00:00:01.000Z'],
    ['time', '2031-04-05T06:07:08.000Z', '2031-04-05T06:07:08.000Z'],
    ['time', '2026-11-01 00:00:01+00', '2026-11-01T00:00:01.000Z'],
    ['time', '2031-04-05T06:07:08+02:00', '2031-04-05T04:07:08.000Z'],
    ['text', 'Größe', 'Größe'],
    ['text', 'null', 'null'],
    ['integer', ' 100 ', 100],
    ['integer', '100.0', 100],
    ['bigint', '1e3', '1000'],
    ['uuid', '', null],
    ['uuid', 'null', null],
    ['integer', 'NaN', null],
    ['bigint', 'undefined', null],
    ['time', '', null],
  ] as const) {
    test(`values of type ${type} are read: ${JSON.stringify(text)}`, ({ assert }) => {
      assert.equal(readValue(type, text), value)
    })
  }

  for (const [type, text] of [
    ['uuid', 'nobody'],
    ['boolean', 'maybe'],
    ['integer', '2147483648'],
    ['integer', '1.5'],
    ['bigint', '99999999999999999999'],
    ['bigint', '1e30'],
    ['integer', '0x10'],
    ['time', '0000-00-00 00:00:00'],
    ['time', 'infinity'],
    ['time', 'someday'],
    ['text', 'a\0b'],
  ] as const) {
    test(`that are invalid for type ${type} are reported: ${JSON.stringify(text)}`, ({
      assert,
    }) => {
      assert.instanceOf(readValue(type, text), UnreadableValue)
    })
  }

  test('without an offset are times of the given zone', ({ assert }) => {
    const zone = 'Europe/Berlin'
    assert.equal(readValue('time', '2026-07-01 02:00:00', zone), '2026-07-01T00:00:00.000Z')
    assert.equal(readValue('time', '2026-12-01 01:00:00.25', zone), '2026-12-01T00:00:00.250Z')
    assert.equal(readValue('time', '2026-12-01T01:00:00.000Z', zone), '2026-12-01T01:00:00.000Z')
  })
})
