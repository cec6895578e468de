import { inject } from '@adonisjs/core'

import type { Actor } from '#kernel/actor'
import { clock } from '#kernel/clock'
import type { Observation } from './observation.js'
import { WaitingRequests } from './waiting_limits.js'

/** Tracks which clients call this process, wait at it, or send something over a socket. */
@inject()
export class ClientActivity {
  readonly #waiting: WaitingRequests
  readonly #running = new Set<Observation>()
  #seenAt = new Map<string, number>()

  constructor(waiting: WaitingRequests) {
    this.#waiting = waiting
  }

  /** Counts the caller of a request as active until the request ends. */
  begin(request: Observation): void {
    this.#running.add(request)
  }

  end(request: Observation): void {
    this.#running.delete(request)
    this.note(request.caller)
  }

  /** Notes a sign of life. Callers that are no clients are ignored. */
  note(caller: Pick<Actor, 'kind' | 'id'> | undefined): void {
    if (caller?.kind === 'client') {
      this.#seenAt.set(caller.id, clock.now())
    }
  }

  /** The clients that are active now or were since the last call, with the time. */
  takeSeen(): ReadonlyMap<string, number> {
    this.#running.forEach(({ caller }) => this.note(caller))
    this.#waiting.callers('client').forEach((id) => this.note({ kind: 'client', id }))
    const seenAt = this.#seenAt
    this.#seenAt = new Map()
    return seenAt
  }
}
