import { Emitter as PacketWriter } from '@socket.io/redis-emitter'

import { publishAll } from '#signals/publish_all'
import { connectPublisher, type RedisConnection } from '#signals/redis'

import { emitTo, type Emission, type Emitter } from './emission.js'
import { namespaceAliases } from './namespaces.js'

/** Delivers events to the sockets of all processes through Redis. The own process needs no sockets. */
export class RedisEmitter implements Emitter {
  readonly #redis: RedisConnection

  static async connect(url: string): Promise<RedisEmitter> {
    return new RedisEmitter(await connectPublisher(url, () => {}))
  }

  private constructor(redis: RedisConnection) {
    this.#redis = redis
  }

  async emit(emissions: readonly Emission[]): Promise<void> {
    const packets: { channel: string; payload: Buffer }[] = []
    const writer = new PacketWriter({
      publish: (channel: string, payload: Buffer) => packets.push({ channel, payload }),
    })
    for (const emission of emissions) {
      for (const spelling of namespaceAliases(emission.namespace)) {
        emitTo(writer.of(spelling), emission)
      }
    }
    await publishAll(this.#redis, packets)
  }

  close(): void {
    this.#redis.disconnect()
  }
}
