import type { Server as HttpServer } from 'node:http'

import type { Socket } from 'socket.io'

import type { RateLimiter } from '#http/rate_limiter'
import type { Signals } from '#signals/signals'
import { keyOf, partyOf, type Party } from '#messenger/mailboxes/party'
import type { Wakeups } from '#messenger/delivery/wakeups'
import { messageBodyBytes } from '#messenger/messages/message_body'
import { authenticateSocket, type SocketIdentity } from '#realtime/authenticate_socket'
import { Connections } from '#realtime/connections'
import { emitTo, type Emitter } from '#realtime/emission'
import type { SocketServerOptions, SocketServer } from '#realtime/socket_server'

import { DirectMessages } from './direct_messages.js'
import { Presence } from './presence.js'
import { RelaySocket } from './relay_socket.js'
import { roomOf, subscriptionRoomOf } from './rooms.js'

interface RelayOptions extends SocketServerOptions {
  readonly signals: Signals
  readonly wakeups: Wakeups
  readonly limiter: RateLimiter
}

/**
 * The socket relay of the former platform: passes messages on without storing them, reports presence, and announces
 * stored messages.
 */
export class Relay implements SocketServer {
  readonly maxBytes = messageBodyBytes()
  readonly #options: RelayOptions
  readonly #own: Connections
  readonly #all: Connections[] = []
  readonly #presence: Presence
  readonly #messages: DirectMessages
  readonly #admitted = new WeakMap<Socket, SocketIdentity>()

  /** Resolves when this process receives the reports of others. */
  static async open(options: RelayOptions): Promise<Relay> {
    const all: Connections[] = []
    const onChange = (party: Party, isConnected: boolean) =>
      all.forEach((connections) => emitPresence(connections, party, isConnected))
    return new Relay(options, all, await Presence.open(options.signals, onChange))
  }

  private constructor(options: RelayOptions, all: Connections[], presence: Presence) {
    const { path, peers, cors, adapter, drain, limiter, emitter } = options
    const localEmitter: Emitter = {
      emit: async (emissions) => {
        for (const { io } of all) {
          emissions.forEach((emission) => emitTo(io.local, emission))
        }
      },
    }
    this.#options = options
    this.#all = all
    this.#presence = presence
    this.#messages = new DirectMessages({
      limiter,
      emitWhenDrained: (rooms, emit) => this.#emitWhenDrained(rooms, emit),
      localEmitter,
      clusterEmitter: emitter,
    })
    const [isClosing, maxBytes] = [() => drain.hasStarted, this.maxBytes]
    this.#own = new Connections({ path, peers, cors, adapter, isClosing, maxBytes })
    this.share(this.#own, true)
    drain.signal.addEventListener('abort', () => this.#close(), { once: true })
  }

  attach(server: HttpServer): Promise<void> {
    return this.#own.attach(server)
  }

  share(connections: Connections, hasRoot: boolean): void {
    if (hasRoot) {
      const { io } = connections
      this.#all.push(connections)
      io.use((socket, next) => void this.#admit(socket, connections).then(() => next(), next))
      io.on('connection', (socket) => this.#serve(socket))
    }
  }

  async #admit(socket: Socket, connections: Connections): Promise<void> {
    const { authenticator, logger, activity } = this.#options
    const admitted = await authenticateSocket(socket, {
      authenticator,
      logger,
      activity,
      requireEntry: partyOf,
    })
    connections.assignOwner(socket, keyOf(partyOf(admitted.actor)))
    this.#admitted.set(socket, admitted)
  }

  #serve(socket: Socket): void {
    const { authenticator, logger, wakeups } = this.#options
    const admitted = this.#admitted.get(socket)!
    const [presence, messages] = [this.#presence, this.#messages]
    new RelaySocket(socket, admitted, { authenticator, logger, wakeups, presence, messages })
  }

  /** Emits once no client in these rooms has too much unread data. */
  async #emitWhenDrained(rooms: readonly string[], emit: () => Promise<void>): Promise<void> {
    for (const connections of this.#all) {
      const busy = connections.findBusyConnection(rooms)
      if (busy) {
        await connections.waitForCapacity(busy)
        return this.#emitWhenDrained(rooms, emit)
      }
    }
    // Without another await: other senders may wait for the same rooms.
    return emit()
  }

  #close(): void {
    this.#own.close()
    void this.#presence.close()
  }
}

/** Emits to the sockets of this process. Clients know both room names. */
function emitPresence({ io }: Connections, party: Party, isConnected: boolean): void {
  const { type, id } = party
  const roomName = isConnected ? subscriptionRoomOf(party) : roomOf(party)
  const event = `${type}${isConnected ? 'Connected' : 'Disconnected'}`
  io.local.to(subscriptionRoomOf(party)).emit(event, { id, meta: { roomName } })
}
