import type { Socket } from 'socket.io'

import { NotificationCoalescer } from '#signals/notification_coalescer'
import { keyOf, PARTY_KINDS, partyOf, type Party, type PartyKind } from '#messenger/mailboxes/party'
import type { Wakeups } from '#messenger/delivery/wakeups'
import type { SocketIdentity } from '#realtime/authenticate_socket'
import { connectionOf } from '#realtime/engine_connection'
import { IncomingFlow } from '#realtime/incoming_flow'
import { disconnectWithSession } from '#realtime/disconnect_with_session'
import { rejectUnknownEvent, RequestQueue, type RequestHandler } from '#realtime/request_queue'
import { Rooms, type Requirement } from '#realtime/rooms'
import type { SocketServerOptions } from '#realtime/socket_server'

import type { DirectMessages } from './direct_messages.js'
import type { Presence } from './presence.js'
import { requireParty, roomOf, subscriptionRoomOf } from './rooms.js'

/** Presence is visible to every identity. */
const NO_PERMISSIONS: Requirement = { permissions: [] }
const PRESENCE_EVENT = new RegExp(`^(${PARTY_KINDS.join('|')})Connection(s|Subscribe|Unsubscribe)$`)

interface RelaySocketDependencies extends Pick<SocketServerOptions, 'authenticator' | 'logger'> {
  readonly messages: DirectMessages
  readonly presence: Presence
  readonly wakeups: Wakeups
}

/** One connected socket: its requests and subscriptions. It is disconnected when the session of its token ends. */
export class RelaySocket {
  readonly #socket: Socket
  readonly #dependencies: RelaySocketDependencies
  readonly #admitted: SocketIdentity
  readonly #rooms: Rooms
  readonly #disconnected = new AbortController()

  constructor(socket: Socket, admitted: SocketIdentity, dependencies: RelaySocketDependencies) {
    this.#socket = socket
    this.#dependencies = dependencies
    this.#admitted = admitted
    this.#rooms = new Rooms(socket)
    const perform: RequestHandler = (event, content) => this.#handle(event, content)
    const requests = new RequestQueue(
      perform,
      dependencies.logger,
      IncomingFlow.of(connectionOf(socket))
    )
    socket.once('disconnect', () => this.#disconnected.abort())
    socket.onAny((event, ...args) => requests.add(String(event), args))
    this.#subscribe(partyOf(admitted.actor))
    disconnectWithSession(socket, admitted.token, dependencies.authenticator)
  }

  #subscribe(party: Party): void {
    const { presence, wakeups } = this.#dependencies
    const { type, id } = party
    const pending = new NotificationCoalescer(() =>
      this.#socket.emit('messagePending', { recipient: { type, id } })
    )
    void this.#socket.join(roomOf(party))
    const removeSocket = presence.addSocket(party)
    const mailbox = keyOf(party)
    const listener = { receive: () => pending.notify('') }
    wakeups.subscribe(mailbox, listener)
    this.#socket.once('disconnect', () => {
      removeSocket()
      wakeups.unsubscribe(mailbox, listener)
    })
  }

  #handle(event: string, content: unknown): unknown {
    const [, type, action] = PRESENCE_EVENT.exec(event) ?? []
    if (event === 'send') {
      const { id } = this.#socket
      const { actor } = this.#admitted
      return this.#dependencies.messages.send(
        { id, actor, disconnected: this.#disconnected.signal },
        content
      )
    }
    return action === undefined
      ? rejectUnknownEvent()
      : this.#handlePresenceRequest(action, requireParty(type as PartyKind, content))
  }

  #handlePresenceRequest(action: string, party: Party): number | undefined {
    if (action === 's') {
      return this.#dependencies.presence.countOf(party)
    }
    const room = subscriptionRoomOf(party)
    if (action === 'Subscribe') {
      this.#rooms.subscribe(room, NO_PERMISSIONS)
    } else {
      this.#rooms.unsubscribe(room)
    }
    return undefined
  }
}
