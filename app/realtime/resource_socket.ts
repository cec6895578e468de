import type { Logger } from '@adonisjs/core/logger'
import type { Socket } from 'socket.io'

import type { Authenticator, Following } from '#auth/authentication_middleware'
import type { Actor } from '#kernel/actor'
import { BadRequest, Failure } from '#kernel/failures'
import { issue } from '#kernel/issues'

import { told } from './admission.js'
import { isOpenTo, Rooms } from './rooms.js'
import { topicOf, type Asked, type Topic } from './topics.js'

type Acknowledge = (failure: ReturnType<typeof told> | null) => void

interface Context {
  readonly token: string
  readonly authenticator: Authenticator
  readonly logger: Pick<Logger, 'error'>
}

/**
 * What one socket may ask for while it is connected, which is for as long as the session its token came from.
 */
export class ResourceSocket {
  readonly #socket: Socket
  readonly #context: Context
  readonly #rooms: Rooms
  readonly #following: Following | undefined
  /** Requests are answered one after the other, so that none overtakes the one it takes back. */
  #last: Promise<void> = Promise.resolve()

  constructor(socket: Socket, context: Context) {
    this.#socket = socket
    this.#context = context
    this.#rooms = new Rooms(socket)
    socket.onAny((event, ...args) => this.#receive(event, args))
    this.#following = this.#endWithSession()
  }

  /** Takes back what the caller may not hear any more. While that cannot be told, everything stays as it is. */
  async review(): Promise<void> {
    try {
      const actor = await this.#actor()
      if (actor) {
        this.#rooms.review(actor)
      }
    } catch {
      // Whether the session goes on is seen to elsewhere.
    }
  }

  #endWithSession(): Following | undefined {
    const { authenticator, token } = this.#context
    const closed = new AbortController()
    this.#socket.once('disconnect', () => closed.abort())
    const following = authenticator.follow?.(token, closed.signal)
    following?.ended.addEventListener('abort', () => this.#socket.disconnect(true), { once: true })
    following?.onChange((actor) => this.#rooms.review(actor))
    return following
  }

  #receive(event: unknown, args: readonly unknown[]): void {
    const asked = topicOf(String(event), this.#socket.nsp.name)
    if (event === 'ping') {
      this.#socket.emit('pong')
    } else {
      this.#last = this.#last.then(() => this.#answer(asked, args))
    }
  }

  async #answer(asked: Asked | undefined, args: readonly unknown[]): Promise<void> {
    const [target] = args.filter((arg) => typeof arg !== 'function')
    // Clients put a callback of their own in between, so the one that answers is the last.
    const acknowledge = args.findLast((arg) => typeof arg === 'function') as Acknowledge | undefined
    try {
      await this.#change(asked ?? nothingAnswers(), target)
      acknowledge?.(null)
    } catch (error) {
      acknowledge?.(told(error, this.#context.logger))
    }
  }

  async #change(asked: Asked, target: unknown): Promise<void> {
    if (asked.begins) {
      await this.#requirePermission(asked.topic)
      this.#rooms.subscribe(asked.topic, target)
    } else {
      this.#rooms.unsubscribe(asked.topic, target)
    }
  }

  async #actor(): Promise<Actor | undefined> {
    const { authenticator, token } = this.#context
    return this.#following ? this.#following.actor() : authenticator.verify(token)
  }

  /** Permissions are those the caller has now, not those it came with. */
  async #requirePermission(topic: Topic): Promise<void> {
    const actor = await this.#actor()
    if (!actor || !isOpenTo(topic, actor)) {
      throw new SubscriptionRefused(topic.permissions)
    }
  }
}

function nothingAnswers(): never {
  throw new BadRequest('Nothing in this namespace answers to an event of this name')
}

/** The caller holds none of the permissions that a subscription needs. */
class SubscriptionRefused extends Failure {
  constructor(permissions: readonly string[]) {
    super(401, 'identity_unauthorized', `This needs ${permissions.join(' or ')}`, {
      issues: permissions.map((name) =>
        issue('permission_not_found', [name], `The permission ${name} is not held`)
      ),
    })
  }
}
