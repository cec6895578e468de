import type { Socket } from 'socket.io'

import { GatheredWakes } from '#signals/gathered_wakes'
import { keyOf, PARTY_KINDS, partyOf, type Party, type PartyKind } from '#messenger/mailboxes/party'
import type { Wakeups } from '#messenger/delivery/wakeups'
import type { Admitted } from '#realtime/admission'
import { connectionOf } from '#realtime/engine_connection'
import { IncomingFlow } from '#realtime/incoming_flow'
import { endWithSession } from '#realtime/lasting'
import { nothingAnswers, Requests, type Perform } from '#realtime/requests'
import { Rooms, type Requirement } from '#realtime/rooms'
import type { SiteOptions } from '#realtime/socket_site'

import type { DirectMessages } from './direct_messages.js'
import type { Presence } from './presence.js'
import { partyNamed, roomOf, subscriptionRoomOf } from './rooms.js'

/** Everybody may know of everybody whether they are connected. */
const FOR_ALL: Requirement = { permissions: [] }
const ABOUT_CONNECTIONS = new RegExp(
  `^(${PARTY_KINDS.join('|')})Connection(s|Subscribe|Unsubscribe)$`
)

interface Context extends Pick<SiteOptions, 'authenticator' | 'logger'> {
  readonly messages: DirectMessages
  readonly presence: Presence
  readonly wakeups: Wakeups
}

/**
 * What one socket is told, and may ask for, while it is connected, which is for as long as the session its token came from.
 */
export class RelaySocket {
  readonly #socket: Socket
  readonly #context: Context
  readonly #admitted: Admitted
  readonly #rooms: Rooms
  readonly #gone = new AbortController()

  constructor(socket: Socket, admitted: Admitted, context: Context) {
    this.#socket = socket
    this.#context = context
    this.#admitted = admitted
    this.#rooms = new Rooms(socket)
    const perform: Perform = (event, content) => this.#do(event, content)
    const requests = new Requests(perform, context.logger, IncomingFlow.of(connectionOf(socket)))
    socket.once('disconnect', () => this.#gone.abort())
    socket.onAny((event, ...args) => requests.add(String(event), args))
    this.#enter(partyOf(admitted.actor))
    endWithSession(socket, admitted.token, context.authenticator)
  }

  #enter(party: Party): void {
    const { presence, wakeups } = this.#context
    const { type, id } = party
    const pending = new GatheredWakes(() =>
      this.#socket.emit('messagePending', { recipient: { type, id } })
    )
    void this.#socket.join(roomOf(party))
    const leave = presence.enter(party)
    const mailbox = keyOf(party)
    const listener = { hear: () => pending.wake('') }
    wakeups.join(mailbox, listener)
    this.#socket.once('disconnect', () => {
      leave()
      wakeups.leave(mailbox, listener)
    })
  }

  #do(event: string, content: unknown): unknown {
    const [, type, what] = ABOUT_CONNECTIONS.exec(event) ?? []
    if (event === 'send') {
      const { id } = this.#socket
      const { actor } = this.#admitted
      return this.#context.messages.send({ id, actor, gone: this.#gone.signal }, content)
    }
    return what === undefined
      ? nothingAnswers()
      : this.#answerAbout(what, partyNamed(type as PartyKind, content))
  }

  #answerAbout(what: string, party: Party): number | undefined {
    if (what === 's') {
      return this.#context.presence.countOf(party)
    }
    const room = subscriptionRoomOf(party)
    if (what === 'Subscribe') {
      this.#rooms.subscribe(room, FOR_ALL)
    } else {
      this.#rooms.unsubscribe(room)
    }
    return undefined
  }
}
