import { setTimeout as delay } from 'node:timers/promises'

import { drain } from '#kernel/drain'
import { UploadBusy } from './failures.js'
import { LockSession } from './lock_session.js'

/** What is under way on an upload has this long to store what came of it. */
const PATIENCE_MS = 10_000
const LOOK_AGAIN_MS = 50
const ASK_AGAIN_MS = 1_000

/** A connection that is not needed is kept for a while: clients come back soon. */
const IDLE_MS = 10_000

/** A hold on an upload: no other request, in no process, changes it meanwhile. */
export interface Hold {
  /** Aborts when another request wants the upload: its client has most likely come back over another connection. */
  readonly askedFor: AbortSignal
  /** Aborts when others may have it already; nothing may be written any more. */
  readonly lost: AbortSignal
}

/** Lets one request at a time have an upload, over all processes. */
export class UploadLocks {
  readonly #held = new Map<string, AbortController>()
  #session: Promise<LockSession> | undefined
  #users = 0
  #idle: NodeJS.Timeout | undefined

  /** Does the work while it holds the upload; throws `UploadBusy` where another request does not let go of it. */
  async holding<T>(id: string, work: (hold: Hold) => Promise<T>): Promise<T> {
    const session = await this.#enter()
    try {
      const asked = await this.#lock(session, id)
      try {
        return await work({ askedFor: asked.signal, lost: session.lost })
      } finally {
        await this.#unlock(session, id)
      }
    } finally {
      this.#leave()
    }
  }

  async #lock(session: LockSession, id: string): Promise<AbortController> {
    const startedAt = performance.now()
    let askedAt = Number.NEGATIVE_INFINITY
    for (;;) {
      const asked = await this.#tryLock(session, id)
      if (asked) {
        return asked
      }
      const now = performance.now()
      if (now - startedAt > PATIENCE_MS) {
        throw new UploadBusy()
      }
      if (now - askedAt > ASK_AGAIN_MS) {
        askedAt = now
        this.#held.get(id)?.abort()
        await session.askFor(id)
      }
      await delay(LOOK_AGAIN_MS)
    }
  }

  /** The database gives a session a lock once more that it has, so what this process holds is looked at first. */
  async #tryLock(session: LockSession, id: string): Promise<AbortController | undefined> {
    if (this.#held.has(id)) {
      return undefined
    }
    const asked = new AbortController()
    this.#held.set(id, asked)
    try {
      if (await session.tryLock(id)) {
        return asked
      }
    } catch (error) {
      this.#held.delete(id)
      throw error
    }
    this.#held.delete(id)
    return undefined
  }

  async #unlock(session: LockSession, id: string): Promise<void> {
    if (!session.lost.aborted) {
      await session.unlock(id).catch(() => session.close())
    }
    this.#held.delete(id)
  }

  async #enter(): Promise<LockSession> {
    clearTimeout(this.#idle)
    this.#users++
    try {
      return await (this.#session ?? this.#open())
    } catch (error) {
      this.#leave()
      throw error
    }
  }

  #open(): Promise<LockSession> {
    const opening = LockSession.open((id) => this.#held.get(id)?.abort())
    const forget = () => {
      if (this.#session === opening) {
        this.#session = undefined
      }
    }
    opening.then(({ lost }) => lost.addEventListener('abort', forget), forget)
    this.#session = opening
    return opening
  }

  #leave(): void {
    this.#users--
    if (this.#users > 0) {
      return
    }
    const patience = drain.hasStarted ? 0 : IDLE_MS
    this.#idle = setTimeout(() => void this.#close(), patience).unref()
  }

  async #close(): Promise<void> {
    const closing = this.#session
    this.#session = undefined
    const session = await closing?.catch(() => undefined)
    await session?.close()
  }
}
