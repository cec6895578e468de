import type { Server as HttpServer } from 'node:http'

import type { Socket } from 'socket.io'

import type { RateLimiter } from '#http/rate_limiter'
import type { Signals } from '#signals/signals'
import { keyOf, partyOf, type Party } from '#messenger/mailboxes/party'
import type { Wakeups } from '#messenger/delivery/wakeups'
import { MESSAGE_BODY_BYTES } from '#messenger/messages/message_body'
import { admit, type Admitted } from '#realtime/admission'
import { Connections } from '#realtime/connections'
import { emitTo, type Emitter } from '#realtime/emission'
import type { SiteOptions, SocketSite } from '#realtime/socket_site'

import { DirectMessages } from './direct_messages.js'
import { Presence } from './presence.js'
import { RelaySocket } from './relay_socket.js'
import { roomOf, subscriptionRoomOf } from './rooms.js'

interface RelayOptions extends SiteOptions {
  readonly signals: Signals
  readonly wakeups: Wakeups
  readonly limiter: RateLimiter
}

/**
 * The older way of talking to each other: sockets that pass messages on without keeping them, say who is connected, and tell of
 * messages that are kept.
 */
export class Relay implements SocketSite {
  readonly #options: RelayOptions
  readonly #connections: Connections
  readonly #presence: Presence
  readonly #messages: DirectMessages
  readonly #admitted = new WeakMap<Socket, Admitted>()

  /** Returns when this process hears of the sockets of others, where signals are carried at all. */
  static async open(options: RelayOptions): Promise<Relay> {
    const { path, peers, cors, adapter, drain, signals } = options
    const isClosing = () => drain.begun
    const mostBytes = MESSAGE_BODY_BYTES
    const connections = new Connections({ path, peers, cors, adapter, isClosing, mostBytes })
    const tell = (party: Party, isConnected: boolean) => tellOf(connections, party, isConnected)
    return new Relay(options, connections, await Presence.open(signals, tell))
  }

  private constructor(options: RelayOptions, connections: Connections, presence: Presence) {
    const { io } = connections
    const here: Emitter = {
      emit: async (emissions) => emissions.forEach((emission) => emitTo(io.local, emission)),
    }
    this.#options = options
    this.#connections = connections
    this.#presence = presence
    this.#messages = new DirectMessages({
      limiter: options.limiter,
      withRoom: (rooms, emit) => connections.emitWithRoom(rooms, emit),
      here,
      everywhere: options.carrier,
    })
    io.use((socket, next) => void this.#admit(socket).then(() => next(), next))
    io.on('connection', (socket) => this.#serve(socket))
    options.drain.signal.addEventListener('abort', () => this.#close(), { once: true })
  }

  attach(server: HttpServer): Promise<void> {
    return this.#connections.attach(server)
  }

  async #admit(socket: Socket): Promise<void> {
    const { authenticator, logger } = this.#options
    const admitted = await admit(socket, { authenticator, logger, requireEntry: partyOf })
    this.#connections.own(socket, keyOf(partyOf(admitted.actor)))
    this.#admitted.set(socket, admitted)
  }

  #serve(socket: Socket): void {
    const { authenticator, logger, wakeups } = this.#options
    const admitted = this.#admitted.get(socket)!
    const [presence, messages] = [this.#presence, this.#messages]
    new RelaySocket(socket, admitted, { authenticator, logger, wakeups, presence, messages })
  }

  #close(): void {
    this.#connections.close()
    void this.#presence.close()
  }
}

/** Each process tells its own sockets. Clients know the name of the room of each of the two. */
function tellOf({ io }: Connections, party: Party, isConnected: boolean): void {
  const { type, id } = party
  const roomName = isConnected ? subscriptionRoomOf(party) : roomOf(party)
  const event = `${type}${isConnected ? 'Connected' : 'Disconnected'}`
  io.local.to(subscriptionRoomOf(party)).emit(event, { id, meta: { roomName } })
}
