import { setTimeout as delay } from 'node:timers/promises'

import { drain } from '#kernel/drain'
import { UploadBusy } from './failures.js'
import { LockSession } from './lock_session.js'

/** How long a request waits for another one to release the upload. */
const LOCK_TIMEOUT_MS = 10_000
const RETRY_MS = 50
const REQUEST_AGAIN_MS = 1_000

/** How long an idle connection stays open, because clients often return soon. */
const IDLE_MS = 10_000

/** A lock on an upload over all processes. */
export interface UploadLock {
  /** Aborts when another request wants the upload: its client has probably reconnected. */
  readonly releaseRequested: AbortSignal
  /** Aborts when another process may have the lock; nothing may be written after that. */
  readonly lost: AbortSignal
}

/** Locks uploads over all processes. */
export class UploadLocks {
  readonly #locks = new Map<string, AbortController>()
  #session: Promise<LockSession> | undefined
  #users = 0
  #idle: NodeJS.Timeout | undefined

  /** Runs the work with a lock on the upload; throws `UploadBusy` if another request does not release it. */
  async withLock<T>(id: string, work: (lock: UploadLock) => Promise<T>): Promise<T> {
    const session = await this.#acquireSession()
    try {
      const releaseRequest = await this.#lock(session, id)
      try {
        return await work({ releaseRequested: releaseRequest.signal, lost: session.lost })
      } finally {
        await this.#unlock(session, id)
      }
    } finally {
      this.#releaseSession()
    }
  }

  async #lock(session: LockSession, id: string): Promise<AbortController> {
    const startedAt = performance.now()
    let requestedAt = Number.NEGATIVE_INFINITY
    for (;;) {
      const releaseRequest = await this.#tryLock(session, id)
      if (releaseRequest) {
        return releaseRequest
      }
      const now = performance.now()
      if (now - startedAt > LOCK_TIMEOUT_MS) {
        throw new UploadBusy()
      }
      if (now - requestedAt > REQUEST_AGAIN_MS) {
        requestedAt = now
        this.#locks.get(id)?.abort()
        await session.requestRelease(id)
      }
      await delay(RETRY_MS)
    }
  }

  /** Advisory locks are reentrant within a session, so the locks of this process are checked first. */
  async #tryLock(session: LockSession, id: string): Promise<AbortController | undefined> {
    if (this.#locks.has(id)) {
      return undefined
    }
    const releaseRequest = new AbortController()
    this.#locks.set(id, releaseRequest)
    try {
      if (await session.tryLock(id)) {
        return releaseRequest
      }
    } catch (error) {
      this.#locks.delete(id)
      throw error
    }
    this.#locks.delete(id)
    return undefined
  }

  async #unlock(session: LockSession, id: string): Promise<void> {
    if (!session.lost.aborted) {
      await session.unlock(id).catch(() => session.close())
    }
    this.#locks.delete(id)
  }

  async #acquireSession(): Promise<LockSession> {
    clearTimeout(this.#idle)
    this.#users++
    try {
      return await (this.#session ?? this.#open())
    } catch (error) {
      this.#releaseSession()
      throw error
    }
  }

  #open(): Promise<LockSession> {
    const opening = LockSession.open((id) => this.#locks.get(id)?.abort())
    const onLost = () => {
      if (this.#session === opening) {
        this.#session = undefined
      }
    }
    opening.then(({ lost }) => lost.addEventListener('abort', onLost), onLost)
    this.#session = opening
    return opening
  }

  #releaseSession(): void {
    this.#users--
    if (this.#users > 0) {
      return
    }
    const idleMs = drain.hasStarted ? 0 : IDLE_MS
    this.#idle = setTimeout(() => void this.#close(), idleMs).unref()
  }

  async #close(): Promise<void> {
    const closing = this.#session
    this.#session = undefined
    const session = await closing?.catch(() => undefined)
    await session?.close()
  }
}
