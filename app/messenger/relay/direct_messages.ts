import vine from '@vinejs/vine'

import type { RateLimiter } from '#http/rate_limiter'
import { MAX_DEPTH, tooDeep } from '#http/json_content'
import type { Actor } from '#kernel/actor'
import { body } from '#kernel/body'
import { sleep } from '#kernel/backoff'
import { RateLimited, ServiceUnavailable } from '#kernel/failures'
import { partyOf } from '#messenger/mailboxes/party'
import { recipientList } from '#messenger/messages/message_body'
import { extraWeightOf } from '#messenger/messages/extra_weight'
import type { Emission, Emitter } from '#realtime/emission'

import { roomOf } from './rooms.js'

const directMessage = body({
  to: recipientList(),
  data: vine.any().nullable().optional(),
  metadata: vine.any().nullable().optional(),
})

/** The socket that sends a message. */
interface SendingSocket {
  readonly id: string
  readonly actor: Actor
  /** Aborts when the socket disconnects. */
  readonly disconnected: AbortSignal
}

interface DirectMessagesDependencies {
  readonly limiter: RateLimiter
  /** Emits after local recipients have read enough of earlier messages. */
  readonly emitWhenDrained: (rooms: readonly string[], emit: () => Promise<void>) => Promise<void>
  readonly localEmitter: Emitter
  /** Undefined without other processes. */
  readonly clusterEmitter: Emitter | undefined
}

/**
 * Passes messages on to all sockets of their recipients, in any process. Nothing is stored: a recipient that is not
 * connected misses the message.
 */
export class DirectMessages {
  readonly #dependencies: DirectMessagesDependencies

  constructor(dependencies: DirectMessagesDependencies) {
    this.#dependencies = dependencies
  }

  /**
   * Waits while the sender is over its rate limit or a recipient is slow. Messages of a disconnected sender do not
   * wait; over the rate limit they fail.
   */
  async send(sender: SendingSocket, content: unknown): Promise<void> {
    const { to, data, metadata } = await directMessage.validate(content)
    const weight = 1 + extraWeightOf(sizeOf(data) + sizeOf(metadata), to)
    await this.#waitForRateLimit(sender, weight)
    const { realmId, realmName } = sender.actor
    const from = { ...partyOf(sender.actor), realmId, realmName }
    const room = [...new Set(to.map(roomOf))]
    const emit = () =>
      this.#emit({
        namespace: '/',
        room,
        except: sender.id,
        event: 'send',
        payload: { from, data, metadata },
      })
    await (sender.disconnected.aborted ? emit() : this.#dependencies.emitWhenDrained(room, emit))
  }

  async #waitForRateLimit({ actor, disconnected }: SendingSocket, weight: number): Promise<void> {
    const count = () => this.#dependencies.limiter.count(actor, '', weight)
    for (let allowance = await count(); allowance?.exceeded; allowance = await count()) {
      if (disconnected.aborted) {
        throw new RateLimited(allowance.resetSeconds)
      }
      await sleep(allowance.resetSeconds * 1_000, disconnected)
    }
  }

  async #emit(emission: Emission): Promise<void> {
    const { localEmitter, clusterEmitter = localEmitter } = this.#dependencies
    try {
      await clusterEmitter.emit([emission])
    } catch (error) {
      await localEmitter.emit([emission])
      throw new ServiceUnavailable(
        'The message reached only recipients that are connected to the same process; try again shortly',
        { cause: error }
      )
    }
  }
}

/** The approximate size in bytes. Throws if the value is nested deeper than a request body may be. */
function sizeOf(value: unknown, level = 0): number {
  if (typeof value === 'string') {
    return value.length
  }
  if (ArrayBuffer.isView(value)) {
    return value.byteLength
  }
  if (typeof value !== 'object' || value === null) {
    return 8
  }
  if (level === MAX_DEPTH) {
    throw tooDeep()
  }
  return Object.entries(value).reduce(
    (size, [name, inner]) => size + name.length + sizeOf(inner, level + 1),
    0
  )
}
