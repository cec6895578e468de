import { Writable } from 'node:stream'

import { test } from '@japa/runner'

import { WakeupStream } from '#messenger/delivery/wakeup_stream'
import { withManualTimers } from '#tests/helpers/manual_timers'

const ID = '66666666-0000-4000-8000-000000000001'
const FRAME = `event: messagePending\ndata: {"recipient":{"type":"client","id":"${ID}"}}\n\n`

/** A reader that a test can pause. */
function reader(isSlow = false) {
  const read: string[] = []
  let waiting: (() => void) | undefined
  const connection = new Writable({
    decodeStrings: false,
    highWaterMark: FRAME.length,
    write(chunk: string, _encoding, done) {
      read.push(chunk)
      if (isSlow) {
        waiting = done
      } else {
        done()
      }
    },
  })
  return {
    connection,
    read,
    take() {
      isSlow = false
      waiting?.()
    },
  }
}

const open = (connection: Writable) => new WakeupStream(connection, `client:${ID}`, { remove() {} })

test.group('A stream of wakeups', () => {
  test('a stream sends the first at once, and merges those that arrive soon after', async ({
    assert,
  }) => {
    await withManualTimers(async (pass) => {
      const { connection, read } = reader()
      const stream = open(connection)
      for (let n = 0; n < 5; n++) {
        stream.receive()
      }
      assert.deepEqual(read, [FRAME])
      await pass(20)
      assert.deepEqual(read, [FRAME, FRAME])
      await pass(60)
      assert.deepEqual(read, [FRAME, FRAME])
      stream.receive()
      assert.lengthOf(read, 3)
    })
  })

  test('a stream merges all wakeups of a slow reader until it reads again', async ({ assert }) => {
    await withManualTimers(async (pass) => {
      const { connection, read, take } = reader(true)
      const stream = open(connection)
      stream.receive()
      for (let n = 0; n < 10; n++) {
        stream.receive()
        await pass(20)
      }
      assert.deepEqual(read, [FRAME])
      assert.equal(connection.writableLength, FRAME.length)
      take()
      await pass(0)
      assert.deepEqual(read, [FRAME, FRAME])
    })
  })

  test('a stream is cut off where nothing was read from one ping to the next', async ({
    assert,
  }) => {
    await withManualTimers(async () => {
      const { connection } = reader(true)
      const stream = open(connection)
      stream.receive()
      stream.ping()
      assert.isFalse(connection.destroyed)
      stream.ping()
      assert.isTrue(connection.destroyed)
    })
  })

  test('pings whoever reads, with the time', async ({ assert }) => {
    const { connection, read } = reader()
    const stream = open(connection)
    stream.ping()
    stream.ping()
    assert.lengthOf(read, 2)
    assert.match(read[0]!, /^event: ping\ndata: \d{13}\n\n$/)
    stream.onEnd()
    assert.isTrue(connection.writableEnded)
  })

  test('a stream sends nothing after its end', async ({ assert }) => {
    await withManualTimers(async (pass) => {
      const { connection, read } = reader()
      const stream = open(connection)
      stream.receive()
      stream.receive()
      stream.onEnd()
      await pass(20)
      assert.deepEqual(read, [FRAME])
    })
  })
})
