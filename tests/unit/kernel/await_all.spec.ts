import { setImmediate as nextTurn } from 'node:timers/promises'

import { test } from '@japa/runner'

import { awaitAll } from '#kernel/await_all'

test.group('awaitAll', () => {
  test('awaitAll returns the results', async ({ assert }) => {
    const [number, text] = await awaitAll([nextTurn(1), Promise.resolve('a')])
    assert.equal(number + 1, 2)
    assert.equal(text.length, 1)
  })

  test('awaitAll rejects with the first failure after all have settled', async ({ assert }) => {
    let isOver = false
    const failing = Promise.reject(new Error('first'))
    const slow = nextTurn().then(() => {
      isOver = true
      throw new Error('second')
    })
    await assert.rejects(() => awaitAll([failing, slow]), 'first')
    assert.isTrue(isOver)
  })
})
