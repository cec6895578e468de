import { EventEmitter } from 'node:events'

import { test } from '@japa/runner'

import type { AmqpConnection } from '#bus/amqp/connection'
import { AmqpPublisher } from '#bus/amqp/publisher'
import { BusUnavailable } from '#bus/errors'
import { newMessage } from '#bus/message'
import { eventually } from '#tests/helpers/eventually'

const silent = { info() {}, warn() {}, error() {} }
const EVENT = newMessage({ type: 'pubSub', key: 'node' }, 'created', {})

type Confirm = (error: Error | null) => void

/** A channel that confirms or refuses whatever is published on it. */
class StandInChannel extends EventEmitter {
  isClosed = false
  readonly #refuses: boolean

  constructor(refuses: boolean) {
    super()
    this.#refuses = refuses
  }

  async prefetch(): Promise<void> {}

  async assertExchange(): Promise<void> {}

  publish(_exchange: string, _key: string, _content: Buffer, _options: object, confirm: Confirm) {
    setImmediate(() => {
      confirm(this.#refuses ? new Error('message nacked') : null)
      this.emit(this.#refuses ? 'nack' : 'ack', {})
    })
  }

  async close(): Promise<void> {
    this.isClosed = true
    this.emit('close')
  }
}

test.group('The publisher', () => {
  test('the publisher replaces a channel on which the broker refused a message', async ({
    assert,
    cleanup,
  }) => {
    const opened: StandInChannel[] = []
    const channels = {
      createConfirmChannel: async () => {
        opened.push(new StandInChannel(opened.length === 0))
        return opened.at(-1)
      },
      createChannel: async () => new StandInChannel(false),
    }
    const connection = { channels, isBlocked: false } as unknown as AmqpConnection
    const publisher = new AmqpPublisher(connection, silent)
    cleanup(() => publisher.close())
    await eventually(() => publisher.isReady)

    await assert.rejects(() => publisher.publish(EVENT), BusUnavailable)
    await eventually(() => publisher.isReady && opened.length === 2)
    await publisher.publish(EVENT)
    assert.deepEqual(
      opened.map(({ isClosed }) => isClosed),
      [true, false]
    )
  })
})
