import type { Logger } from '@adonisjs/core/logger'
import { test } from '@japa/runner'

import { CLAIM_TTL_MS, Heartbeat } from '#storage/claims/heartbeat'
import { withManualTimers } from '#tests/helpers/manual_timers'

/** A heartbeat with the renewals that it asks for. */
function heartbeatOf(renew = async () => {}) {
  const renewals: { ids: readonly string[]; ttlMs: number }[] = []
  const failures: unknown[] = []
  class Noting extends Heartbeat {
    protected override renew(ids: readonly string[], ttlMs: number): Promise<void> {
      renewals.push({ ids, ttlMs })
      return renew()
    }
  }
  const logger = { warn: ({ err }: { err: unknown }) => void failures.push(err) }
  return { heartbeat: new Noting(logger as unknown as Logger), renewals, failures }
}

test.group('The heartbeat of path claims', () => {
  test('renews all claims of the process together, every ten seconds for half a minute', async ({
    assert,
  }) => {
    await withManualTimers(async (pass) => {
      const { heartbeat, renewals } = heartbeatOf()
      heartbeat.add('a')
      await pass(6_000)
      heartbeat.add('b')
      await pass(3_999)
      assert.isEmpty(renewals)
      await pass(1)
      assert.deepEqual(renewals, [{ ids: ['a', 'b'], ttlMs: 30_000 }])
      heartbeat.remove(['a'])
      await pass(10_000)
      assert.deepEqual(renewals[1], { ids: ['b'], ttlMs: CLAIM_TTL_MS })
      heartbeat.remove(['b'])
    })
  })

  test('rests once no claim is left, and begins again with the next one', async ({ assert }) => {
    await withManualTimers(async (pass) => {
      const { heartbeat, renewals } = heartbeatOf()
      heartbeat.add('a')
      heartbeat.remove(['a', 'unknown'])
      await pass(60_000)
      assert.isEmpty(renewals)
      heartbeat.add('b')
      await pass(10_000)
      assert.deepEqual(renewals, [{ ids: ['b'], ttlMs: CLAIM_TTL_MS }])
      heartbeat.remove(['b'])
    })
  })

  test('the heartbeat reports a renewal that failed, and renews again while the claims still last', async ({
    assert,
  }) => {
    await withManualTimers(async (pass) => {
      const failure = new Error('no connection')
      const { heartbeat, renewals, failures } = heartbeatOf(() => Promise.reject(failure))
      heartbeat.add('a')
      await pass(10_000)
      await pass(10_000)
      assert.deepEqual(failures, [failure, failure])
      assert.lengthOf(renewals, 2)
      heartbeat.remove(['a'])
    })
  })
})
