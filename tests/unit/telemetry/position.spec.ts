import { test } from '@japa/runner'
import fc from 'fast-check'

import { Position } from '#telemetry/events/live/position'
import { NO_REALM } from '#telemetry/trail/statements'

const chain = fc.oneof(fc.uuid(), fc.constant(NO_REALM))
const number = fc.nat({ max: 2 ** 40 })
const heads = fc.uniqueArray(fc.record({ chain, number }), { selector: (head) => head.chain })

test.group('How far a follower of events has come', () => {
  test('the position is read as it was written', ({ assert }) => {
    fc.assert(
      fc.property(heads, fc.array(chain, { maxLength: 8 }), (ends, passed) => {
        const position = Position.after(ends)
        passed.forEach((each) => position.advance(each))
        const read = Position.parse(position.text)!
        assert.equal(read.text, position.text)
        assert.deepEqual(read.heads, position.heads)
        passed.forEach((each) => assert.equal(read.offsetIn(each), position.offsetIn(each)))
      })
    )
  })

  test('the position exists before there is any event', ({ assert }) => {
    const position = Position.after([])
    assert.equal(position.text, '0.0')
    assert.deepEqual(Position.parse(position.text)!.heads, { chains: [NO_REALM], numbers: [0] })
  })

  test('the position begins anew in the next batch', ({ assert }) => {
    const position = Position.after([{ chain: NO_REALM, number: 4 }])
    position.advance(NO_REALM)
    position.advance(NO_REALM)
    assert.equal(position.text, '0.4.2')
    position.advanceBatch(NO_REALM, 5)
    assert.equal(position.text, '0.5')
    assert.equal(position.offsetIn(NO_REALM), 0)
  })

  test('the position cannot be read from other text', ({ assert }) => {
    for (const text of ['nowhere', '0', '0.', '0.1.', '0.1~', '0.1.2.3', 'x.1', '0.-1']) {
      assert.isUndefined(Position.parse(text), text)
    }
  })
})
