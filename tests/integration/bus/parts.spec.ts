import { test } from '@japa/runner'

import { AttemptCounter } from '#bus/attempt_counter'
import { jitteredBackoff } from '#kernel/backoff'
import { Inbox } from '#bus/inbox'
import { inTransaction } from '#records/transaction'
import { KeyedMutex } from '#kernel/keyed_mutex'
import { overrideClock } from '#kernel/clock'
import { busDatabase } from '#tests/helpers/bus/bus_database'
import { pidOf, untilBlocking } from '#tests/helpers/database/blocked_sessions'

test.group('Mutex per key', () => {
  test('a mutex keeps the order per key, and runs keys concurrently', async ({ assert }) => {
    const mutex = new KeyedMutex()
    const ended: string[] = []
    const { promise: bEnded, resolve: endB } = Promise.withResolvers<void>()
    const end = (name: string) => void ended.push(name)
    await Promise.all([
      mutex.run('a', () => bEnded.then(() => end('a1'))),
      mutex.run('a', async () => end('a2')),
      mutex.run('b', async () => {
        end('b1')
        endB()
      }),
    ])
    assert.deepEqual(ended, ['b1', 'a1', 'a2'])
  })

  test('a mutex continues after a failure', async ({ assert }) => {
    const mutex = new KeyedMutex()
    const failing = mutex.run('a', () => Promise.reject(new Error('no')))
    const next = mutex.run('a', async () => 'done')
    await assert.rejects(() => failing, 'no')
    assert.equal(await next, 'done')
  })
})

test.group('Backoff between attempts', () => {
  test('doubles up to its limit, with jitter over the later half', ({ assert, cleanup }) => {
    const settings = { firstMs: 100, longestMs: 1_000 }
    const pauses = () => [1, 2, 3, 4, 5, 60].map((failures) => jitteredBackoff(failures, settings))
    const release = overrideClock({ random: (bytes) => Buffer.alloc(bytes, 0) })
    cleanup(release)
    assert.deepEqual(pauses(), [50, 100, 200, 400, 500, 500])
    cleanup(overrideClock({ random: (bytes) => Buffer.alloc(bytes, 0xff) }))
    pauses().forEach((pause, at) =>
      assert.closeTo(pause, [100, 200, 400, 800, 1_000, 1_000][at]!, 1)
    )
  })
})

test.group('Inbox of a consumer', (group) => {
  let database: Awaited<ReturnType<typeof busDatabase>>
  let inbox: Inbox

  group.setup(async () => {
    database = await busDatabase()
    inbox = new Inbox(database.pool, 'core.test')
    return () => database.stop()
  })

  const attemptsOf = async (id: string) => {
    const { rows } = await database.pool.query('select attempts from inbox where message_id = $1', [
      id,
    ])
    return rows[0]?.attempts as number | undefined
  }

  test('the first attempt of a new message costs no statement, later ones are stored', async ({
    assert,
  }) => {
    const counter = new AttemptCounter(inbox, 'new', 'first')
    assert.equal(await counter.next(), 1)
    assert.isUndefined(await attemptsOf('new'))
    counter.fail()
    assert.equal(await counter.next(), 2)
    assert.equal(await attemptsOf('new'), 2)
    const afterDeath = new AttemptCounter(inbox, 'new', 'again')
    assert.equal(await afterDeath.next(), 3)
  })

  test('a redelivered message is not on its first attempt', async ({ assert }) => {
    assert.equal(await new AttemptCounter(inbox, 'again', 'again').next(), 2)
    assert.equal(await new AttemptCounter(inbox, 'unknown', 'unknown').next(), 1)
    assert.equal(await new AttemptCounter(inbox, 'unknown', 'unknown').next(), 2)
  })

  test('an attempt that did not fail because of the message is not counted', async ({ assert }) => {
    const counter = new AttemptCounter(inbox, 'spared', 'again')
    assert.equal(await counter.next(), 2)
    assert.equal(await counter.next(), 2)
    assert.equal(await attemptsOf('spared'), 2)
    counter.fail()
    assert.equal(await counter.next(), 3)
  })

  test('the second of two concurrent handlers of a message waits and then does nothing', async ({
    assert,
  }) => {
    const [one, two] = [await database.pool.connect(), await database.pool.connect()]
    try {
      await one.query('begin')
      await two.query('begin')
      assert.deepEqual(await inbox.settleAll(one, ['both', 'both']), [true, false])
      const second = inbox.settleAll(two, ['both'])
      await untilBlocking(database.pool, await pidOf(one))
      await one.query('commit')
      assert.deepEqual(await second, [false])
      await two.query('rollback')
    } finally {
      one.release()
      two.release()
    }
    assert.equal(await inbox.count('both', 1), 'handled')
    await inTransaction(database.pool, (transaction) => inbox.forget(transaction, 'both'))
    assert.equal(await inbox.count('both', 1), 'handled')
  })

  test('a single message is settled once, as one of a batch is', async ({ assert }) => {
    const settle = () => inTransaction(database.pool, (client) => inbox.settle(client, 'single'))
    assert.isTrue(await settle())
    assert.isFalse(await settle())
    const all = await inTransaction(database.pool, (client) => inbox.settleAll(client, ['single']))
    assert.deepEqual(all, [false])
  })
})
