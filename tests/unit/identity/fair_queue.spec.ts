import { test } from '@japa/runner'

import { FairQueue } from '#identity/embedded/fair_queue'
import { ServiceUnavailable } from '#kernel/failures'

/** A queue that serves one at a time and is busy, and the order in which it serves what waits. */
function busyQueue(waitingAtMost?: number) {
  const queue = new FairQueue(1, waitingAtMost)
  const served: string[] = []
  const first = Promise.withResolvers<void>()
  const all: Promise<void>[] = [queue.run(() => first.promise)]
  const wait = (name: string, key: string, isPreferred = false) => {
    const work = async () => void served.push(name)
    const done = queue.run(work, { key, isPreferred })
    all.push(done)
    return done
  }
  const order = async () => {
    first.resolve()
    await Promise.allSettled(all)
    return served
  }
  return { wait, order }
}

test.group('A fair queue', () => {
  test('the queue serves keys in turn', async ({ assert }) => {
    const { wait, order } = busyQueue()
    void wait('a1', 'a')
    void wait('a2', 'a')
    void wait('b1', 'b')

    assert.deepEqual(await order(), ['a1', 'b1', 'a2'])
  })

  test('the queue serves preferred ones before all that came earlier', async ({ assert }) => {
    const { wait, order } = busyQueue()
    const strangers = Array.from({ length: 30 }, (_, number) => `stranger ${number}`)
    strangers.forEach((name) => void wait(name, name))
    void wait('known', 'account', true)

    assert.deepEqual(await order(), ['known', ...strangers])
  })

  test('the queue serves others at every third turn, however many preferred ones wait', async ({
    assert,
  }) => {
    const { wait, order } = busyQueue()
    void wait('other', 'b')
    for (const name of ['p1', 'p2', 'p3']) {
      void wait(name, 'a', true)
    }

    assert.deepEqual(await order(), ['p1', 'p2', 'other', 'p3'])
  })

  test('the queue has room for preferred ones when others fill theirs', async ({ assert }) => {
    const { wait, order } = busyQueue(2)
    void wait('s1', 'a')
    await assert.rejects(() => wait('s2', 'a'), ServiceUnavailable)
    void wait('known', 'account', true)

    assert.deepEqual(await order(), ['known', 's1'])
  })
})
