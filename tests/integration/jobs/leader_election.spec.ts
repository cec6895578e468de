import { once } from 'node:events'

import { test } from '@japa/runner'

import { isAdvisoryLockGranted } from '#database/advisory_locks'
import { runAsLeader, LockLost } from '#jobs/leader_election'
import { emptyDatabase } from '#tests/helpers/database/empty_database'
import { failureOf } from '#tests/helpers/storage/object_store_suite'

const END_HOLDER = `select pg_terminate_backend(pid) from pg_locks
  where ${isAdvisoryLockGranted(`hashtextextended('work', 0)`)}`

test('the work of a leader is aborted when the connection with its lock ends', async ({
  assert,
  cleanup,
}) => {
  const { pool, stop } = await emptyDatabase()
  cleanup(stop)
  const ended = new Promise<void>((resolve) => {
    pool.once('connect', (client) => client.once('end', resolve))
  })
  let reason: unknown
  const failure = await failureOf(
    runAsLeader(pool, 'work', async (lost) => {
      const aborted = once(lost, 'abort')
      await pool.query(END_HOLDER)
      await aborted
      await ended
      reason = lost.reason
      assert.equal(
        await runAsLeader(pool, 'work', async () => 'another one leads'),
        'another one leads'
      )
    })
  )
  assert.instanceOf(reason, LockLost)
  assert.strictEqual(failure, reason)
  assert.equal(await runAsLeader(pool, 'work', async () => 'done'), 'done')
})
