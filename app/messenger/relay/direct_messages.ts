import vine from '@vinejs/vine'

import type { RateLimiter } from '#http/rate_limiter'
import { MOST_LEVELS, tooDeep } from '#http/json_content'
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

/** The socket that sends. */
interface SendingSocket {
  readonly id: string
  readonly actor: Actor
  /** Aborted when it is disconnected. */
  readonly disconnected: AbortSignal
}

interface DirectMessagesDependencies {
  readonly limiter: RateLimiter
  /** Emits once the recipients that are connected here have read enough of what came before. */
  readonly emitWhenDrained: (rooms: readonly string[], emit: () => Promise<void>) => Promise<void>
  readonly localEmitter: Emitter
  /** Undefined where there are no other processes. */
  readonly clusterEmitter: Emitter | undefined
}

/**
 * Passes messages on to sockets of their recipients, wherever these are connected, and keeps nothing: who is not connected misses them.
 */
export class DirectMessages {
  readonly #dependencies: DirectMessagesDependencies

  constructor(dependencies: DirectMessagesDependencies) {
    this.#dependencies = dependencies
  }

  /** A sender who is too fast, or whose recipients are too slow, waits; one who is gone does not, and is refused what is too much. */
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

  async #waitForRateLimit(
    { actor, disconnected: gone }: SendingSocket,
    weight: number
  ): Promise<void> {
    const count = () => this.#dependencies.limiter.count(actor, '', weight)
    for (let allowance = await count(); allowance?.exceeded; allowance = await count()) {
      if (gone.aborted) {
        throw new RateLimited(allowance.resetSeconds)
      }
      await sleep(allowance.resetSeconds * 1_000, gone)
    }
  }

  async #emit(emission: Emission): Promise<void> {
    const { localEmitter: here, clusterEmitter: everywhere = here } = this.#dependencies
    try {
      await everywhere.emit([emission])
    } catch (error) {
      await here.emit([emission])
      throw new ServiceUnavailable(
        'Only recipients that are connected to the same process got this; try again shortly',
        { cause: error }
      )
    }
  }
}

/** About so many bytes. What is nested deeper than bodies of requests may be cannot be passed on without effort, and is refused. */
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
  if (level === MOST_LEVELS) {
    throw tooDeep()
  }
  return Object.entries(value).reduce(
    (size, [name, inner]) => size + name.length + sizeOf(inner, level + 1),
    0
  )
}
