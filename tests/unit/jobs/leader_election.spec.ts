import { EventEmitter } from 'node:events'

import { test } from '@japa/runner'
import type pg from 'pg'

import { LockLost, runAsLeader } from '#jobs/leader_election'

/** A connection that shows what is done to it, and whose lock a test gives or denies. */
class FakeConnection extends EventEmitter {
  readonly statements: string[] = []
  readonly released: unknown[] = []
  readonly #leads: boolean

  constructor(leads: boolean) {
    super()
    this.#leads = leads
  }

  async query(text: string) {
    this.statements.push(/pg_(try_advisory_lock|advisory_unlock)/.exec(text)![1]!)
    return { rows: [{ leads: this.#leads }] }
  }

  release(isBroken: boolean): void {
    this.released.push(isBroken)
  }
}

function lockOf({ leads }: { leads: boolean }) {
  const connection = new FakeConnection(leads)
  const pool = { connect: async () => connection } as unknown as pg.Pool
  return { connection, pool }
}

const reasonOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error
  )

test.group('A leader', () => {
  test('a leader does its work under the lock, and gives the connection back without it', async ({
    assert,
  }) => {
    const { connection, pool } = lockOf({ leads: true })
    const during: string[] = []
    const done = await runAsLeader(pool, 'work', async (lost) => {
      during.push(...connection.statements)
      return lost.aborted ? 'lost' : 'done'
    })
    assert.equal(done, 'done')
    assert.deepEqual(during, ['try_advisory_lock'])
    assert.deepEqual(connection.statements, ['try_advisory_lock', 'advisory_unlock'])
    assert.deepEqual(connection.released, [false])
    assert.isEmpty(connection.eventNames(), 'its listeners are removed')
  })

  test('a leader is one at a time: without the lock there is no work, and nothing to unlock', async ({
    assert,
  }) => {
    const { connection, pool } = lockOf({ leads: false })
    const done = await runAsLeader(pool, 'work', async () => assert.fail('another one leads'))
    assert.isUndefined(done)
    assert.deepEqual(connection.statements, ['try_advisory_lock'])
    assert.deepEqual(connection.released, [false])
    assert.isEmpty(connection.eventNames())
  })

  test('a leader whose connection breaks is notified at once, and its result does not count', async ({
    assert,
  }) => {
    const { connection, pool } = lockOf({ leads: true })
    const broken = new Error('terminated')
    const work = Promise.withResolvers<string>()
    let signal: AbortSignal | undefined
    const outcome = reasonOf(
      runAsLeader(pool, 'work', (lost) => {
        signal = lost
        return work.promise
      })
    )
    await new Promise((resolve) => setImmediate(resolve))
    connection.emit('error', broken)
    connection.emit('error', new Error('closed'))
    connection.emit('end')
    assert.isTrue(signal!.aborted)
    work.resolve('done')
    const reason = await outcome
    assert.instanceOf(reason, LockLost)
    assert.strictEqual((reason as Error).cause, broken, 'the first error is the reason')
    assert.deepEqual(connection.statements, ['try_advisory_lock'], 'no lock is left to unlock')
    assert.deepEqual(connection.released, [true], 'the connection is not used again')
  })

  test('whose connection ends without an error has lost its lock, too', async ({ assert }) => {
    const { connection, pool } = lockOf({ leads: true })
    const reason = await reasonOf(
      runAsLeader(pool, 'work', async () => void connection.emit('end'))
    )
    assert.instanceOf(reason, LockLost)
    assert.deepEqual(connection.released, [true])
  })

  test('whose work fails leaves the lock to others, and fails with that', async ({ assert }) => {
    const { connection, pool } = lockOf({ leads: true })
    const failure = new Error('no room')
    const reason = await reasonOf(runAsLeader(pool, 'work', () => Promise.reject(failure)))
    assert.strictEqual(reason, failure)
    assert.deepEqual(connection.statements, ['try_advisory_lock', 'advisory_unlock'])
    assert.deepEqual(connection.released, [false])
  })
})
