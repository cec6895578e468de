import { inject } from '@adonisjs/core'

import type { Actor } from '#kernel/actor'
import { clock } from '#kernel/clock'
import type { Observation } from './observation.js'
import { WaitingRequests } from './waiting_limits.js'

/** A client that hangs keeps its streams and pulls open, so they are a sign of life for a while only. */
const OPEN_COUNTS_MS = 60_000

/** Tracks which clients call this process, wait at it, or send something over a socket. */
@inject()
export class ClientActivity {
  readonly #waiting: WaitingRequests
  /** With the time of their start. */
  readonly #running = new Map<Observation, number>()
  #seenAt = new Map<string, number>()

  constructor(waiting: WaitingRequests) {
    this.#waiting = waiting
  }

  /** Counts the caller of a request as active until the request ends, for a while at most. */
  begin(request: Observation): void {
    this.#running.set(request, clock.now())
  }

  end(request: Observation): void {
    this.#running.delete(request)
    this.note(request.caller)
  }

  /** Notes a sign of life. Other callers than clients are ignored. */
  note(caller: Pick<Actor, 'kind' | 'id'> | undefined): void {
    if (caller?.kind === 'client') {
      this.#seenAt.set(caller.id, clock.now())
    }
  }

  /** The clients that are active now or were since the last call, with the time. */
  takeSeen(): ReadonlyMap<string, number> {
    const since = clock.now() - OPEN_COUNTS_MS
    this.#running.forEach((startedAt, { caller }) => startedAt > since && this.note(caller))
    this.#waiting.callers('client', since).forEach((id) => this.note({ kind: 'client', id }))
    const seenAt = this.#seenAt
    this.#seenAt = new Map()
    return seenAt
  }
}
