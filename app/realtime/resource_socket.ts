import type { Logger } from '@adonisjs/core/logger'
import type { Socket } from 'socket.io'

import type { Authenticator, SessionWatch } from '#auth/authenticator'
import type { Actor } from '#kernel/actor'
import { Failure } from '#kernel/failures'
import { issue } from '#kernel/issues'

import type { SocketIdentity } from './authenticate_socket.js'
import { connectionOf } from './engine_connection.js'
import { IncomingFlow } from './incoming_flow.js'
import { disconnectWithSession } from './disconnect_with_session.js'
import { roomFor } from './namespaces.js'
import { rejectUnknownEvent, RequestQueue } from './request_queue.js'
import { isAllowed, Rooms } from './rooms.js'
import { roomOf, topicOf, type Topic } from './topics.js'

interface ResourceSocketContext extends SocketIdentity {
  readonly authenticator: Authenticator
  readonly logger: Pick<Logger, 'error'>
}

/** The subscriptions of one socket, for as long as the session of its token lasts. */
export class ResourceSocket {
  readonly #socket: Socket
  readonly #context: ResourceSocketContext
  readonly #rooms: Rooms
  readonly #session: SessionWatch | undefined

  constructor(socket: Socket, context: ResourceSocketContext) {
    this.#socket = socket
    this.#context = context
    this.#rooms = new Rooms(socket)
    const requests = new RequestQueue(
      (event, target) => this.#handle(event, target),
      context.logger,
      IncomingFlow.of(connectionOf(socket))
    )
    socket.onAny((event, ...args) => {
      if (event === 'ping') {
        socket.emit('pong')
      } else {
        requests.add(String(event), args)
      }
    })
    this.#session = disconnectWithSession(socket, context.token, context.authenticator)
    this.#session?.onChange((actor) => this.#rooms.review(actor))
  }

  /**
   * Removes subscriptions that the caller may not have any more. If the permissions cannot be read now, nothing
   * changes.
   */
  async review(): Promise<void> {
    try {
      const actor = await this.#actor()
      if (actor) {
        this.#rooms.review(actor)
      }
    } catch {
      // The end of the session is handled by the session watch.
    }
  }

  async #handle(event: string, target: unknown): Promise<void> {
    const { topic, subscribes: begins } =
      topicOf(event, this.#socket.nsp.name) ?? rejectUnknownEvent()
    const room = roomFor(this.#context.actor, this.#socket.nsp.name, roomOf(topic, target))
    if (begins) {
      await this.#requirePermission(topic)
      this.#rooms.subscribe(room, topic)
    } else {
      this.#rooms.unsubscribe(room)
    }
  }

  async #actor(): Promise<Actor | undefined> {
    const { authenticator, token } = this.#context
    return this.#session ? this.#session.actor() : authenticator.verify(token)
  }

  /** Checks the current permissions of the caller, not those at the time of connecting. */
  async #requirePermission(topic: Topic): Promise<void> {
    const actor = await this.#actor()
    if (!actor || !isAllowed(topic, actor)) {
      throw new SubscriptionRefused(topic.permissions)
    }
  }
}

/** The caller has none of the permissions that a subscription needs. */
class SubscriptionRefused extends Failure {
  constructor(permissions: readonly string[]) {
    super(401, 'identity_unauthorized', `This needs ${permissions.join(' or ')}`, {
      issues: permissions.map((name) =>
        issue('permission_not_found', [name], `The permission ${name} is missing`)
      ),
    })
  }
}
