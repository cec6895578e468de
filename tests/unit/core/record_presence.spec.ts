import type { HttpContext } from '@adonisjs/core/http'
import { test } from '@japa/runner'

import { recordPresence } from '#core/nodes/record_presence'
import { clock } from '#kernel/clock'
import { identity } from '#tests/helpers/identities'
import { withManualTimers } from '#tests/helpers/manual_timers'

/** A request whose presence takes as long to record as a test says. */
function requestOf(recording: Promise<void> | undefined) {
  const warnings: string[] = []
  const ctx = {
    actor: identity({ kind: 'client', id: clock.uuid() }).actor,
    request: {
      id: () => '',
      ip: () => '',
      header: () => undefined,
      method: () => 'GET',
      url: () => '/',
    },
    logger: { warn: (_: unknown, text: string) => void warnings.push(text) },
    containerResolver: { make: async () => ({ record: () => recording }) },
  } as unknown as HttpContext
  let isOver = false
  const waiting = recordPresence(ctx)!.then(() => void (isOver = true))
  return { waiting, warnings, isOver: () => isOver }
}

test.group('A request of a client', () => {
  test('a request waits until its presence is recorded, two seconds at most', async ({
    assert,
  }) => {
    await withManualTimers(async (pass) => {
      const written = Promise.withResolvers<void>()
      const [soon, late] = [requestOf(written.promise), requestOf(new Promise(() => {}))]
      await pass(1_000)
      assert.deepEqual([soon.isOver(), late.isOver()], [false, false])
      written.resolve()
      await pass(999)
      assert.deepEqual([soon.isOver(), late.isOver()], [true, false])
      await pass(1)
      assert.isTrue(late.isOver())
      await late.waiting
    })
  })

  test('a request succeeds where its presence cannot be recorded, which is logged', async ({
    assert,
  }) => {
    const { waiting, warnings } = requestOf(Promise.reject(new Error('no connection')))
    await waiting
    assert.deepEqual(warnings, ['the presence of a client could not be recorded'])
  })

  test('a request waits for nothing where it was recorded before', async ({ assert }) => {
    await withManualTimers(async (pass) => {
      const { isOver } = requestOf(undefined)
      await pass(0)
      assert.isTrue(isOver())
    })
  })
})
