import vine from '@vinejs/vine'

import { MOST_LEVELS, tooDeep } from '#http/json_content'
import type { Actor } from '#kernel/actor'
import { body } from '#kernel/body'
import { ServiceUnavailable } from '#kernel/failures'
import { partyOf } from '#messenger/mailboxes/party'
import { recipientList } from '#messenger/messages/message_body'
import type { Emission, Emitter } from '#realtime/emission'

import { roomOf } from './rooms.js'

const directMessage = body({
  to: recipientList(),
  data: vine.any().nullable().optional(),
  metadata: vine.any().nullable().optional(),
})

/** The socket that sends. */
interface Sender {
  readonly id: string
  readonly actor: Actor
}

/**
 * Passes messages on to sockets of their recipients, wherever these are connected, and keeps nothing: who is not connected misses them.
 */
export class DirectMessages {
  readonly #here: Emitter
  readonly #everywhere: Emitter

  /** `everywhere` is missing where there are no other processes. */
  constructor(here: Emitter, everywhere: Emitter | undefined) {
    this.#here = here
    this.#everywhere = everywhere ?? here
  }

  async send(sender: Sender, content: unknown): Promise<void> {
    const { to, data, metadata } = await directMessage.validate(content)
    requireShallow(data)
    requireShallow(metadata)
    const { realmId, realmName } = sender.actor
    const from = { ...partyOf(sender.actor), realmId, realmName }
    await this.#emit({
      namespace: '/',
      room: [...new Set(to.map(roomOf))],
      except: sender.id,
      event: 'send',
      payload: { from, data, metadata },
    })
  }

  async #emit(emission: Emission): Promise<void> {
    try {
      await this.#everywhere.emit([emission])
    } catch (error) {
      await this.#here.emit([emission])
      throw new ServiceUnavailable(
        'Only recipients that are connected to the same process got this; try again shortly',
        { cause: error }
      )
    }
  }
}

/** As for bodies of requests. What is nested deeper cannot be passed on without effort. */
function requireShallow(value: unknown, level = 0): void {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) {
    return
  }
  if (level === MOST_LEVELS) {
    throw tooDeep()
  }
  Object.values(value).forEach((inner) => requireShallow(inner, level + 1))
}
