import { EventEmitter } from 'node:events'
import { setImmediate } from 'node:timers/promises'

import { test } from '@japa/runner'
import type { Channel, ConsumeMessage } from 'amqplib'

import { Acknowledgements } from '#bus/amqp/acknowledgements'

/** The deliveries of a channel as the broker sees them. */
class Broker extends EventEmitter {
  readonly open = new Set<number>()
  readonly acknowledged: number[] = []
  readonly returned: number[] = []
  answers = 0

  deliver(deliveryTag: number): ConsumeMessage {
    this.open.add(deliveryTag)
    return { fields: { deliveryTag } } as ConsumeMessage
  }

  ack({ fields: { deliveryTag } }: ConsumeMessage, upTo = false): void {
    this.answers++
    const tags = [...this.open].filter((tag) => tag === deliveryTag || (upTo && tag < deliveryTag))
    if (!tags.includes(deliveryTag)) {
      throw new Error(`unknown delivery tag ${deliveryTag}`)
    }
    tags.forEach((tag) => this.open.delete(tag))
    this.acknowledged.push(...tags)
  }

  nack({ fields: { deliveryTag } }: ConsumeMessage): void {
    this.open.delete(deliveryTag)
    this.returned.push(deliveryTag)
  }
}

const setUp = () => {
  const broker = new Broker()
  return { broker, answers: new Acknowledgements(broker as unknown as Channel) }
}

test.group('Acknowledgements', () => {
  test('deliveries that end together are acknowledged at once', async ({ assert }) => {
    const { broker, answers } = setUp()
    const messages = Array.from({ length: 500 }, (_, tag) => broker.deliver(tag + 1))
    messages.forEach((message) => answers.track(message))
    messages.forEach((message) => answers.acknowledge(message))
    await setImmediate()
    assert.lengthOf(broker.acknowledged, 500)
    assert.equal(broker.answers, 1)
  })

  test('each delivery is acknowledged once after it has ended, in any order', async ({
    assert,
  }) => {
    for (let round = 0; round < 200; round++) {
      const { broker, answers } = setUp()
      const underWay: ConsumeMessage[] = []
      const ended = new Set<number>()
      const returned = new Set<number>()
      for (let tag = 1; tag <= 60;) {
        if (Math.random() < 0.5 || underWay.length === 0) {
          const message = broker.deliver(tag++)
          answers.track(message)
          underWay.push(message)
        } else {
          const place = Math.floor(Math.random() * underWay.length)
          const [message] = underWay.splice(place, 1) as [ConsumeMessage]
          const isReturned = Math.random() < 0.1
          isReturned ? answers.requeue(message) : answers.acknowledge(message)
          ;(isReturned ? returned : ended).add(message.fields.deliveryTag)
        }
        if (Math.random() < 0.2) {
          await setImmediate()
          assert.sameMembers(broker.acknowledged, [...ended])
        }
      }
      answers.flush()
      assert.sameMembers(broker.acknowledged, [...ended])
      assert.sameMembers(broker.returned, [...returned])
      assert.sameMembers(
        [...broker.open],
        underWay.map(({ fields }) => fields.deliveryTag)
      )
    }
  })

  test('a lost channel gets no acknowledgement', async ({ assert }) => {
    const { broker, answers } = setUp()
    const message = broker.deliver(1)
    answers.track(message)
    answers.acknowledge(message)
    broker.emit('close')
    await setImmediate()
    assert.isTrue(answers.isLost)
    assert.isEmpty(broker.acknowledged)
  })
})
