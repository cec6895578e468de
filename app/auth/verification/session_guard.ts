import type { Actor } from '#kernel/actor'
import type { Following } from '#auth/authentication_middleware'
import { Unauthorized } from '#kernel/failures'
import { EVERYBODY } from '#auth/provider'
import { clock } from '#kernel/clock'

import type { Follower, Judge } from './judge.js'
import type { Verdict } from './verdicts.js'

/** The share of a verdict's time that is left when it is renewed, and that passes before it is tried again. */
const SPARE = 0.25
const AGAIN_AFTER = 0.05
/** Where no session ends a connection, this does. */
const LONGEST_MS = 24 * 60 * 60_000

/**
 * For connections that outlive their token. They end when the provider says that the session does, when it says nothing for
 * longer than a verdict is relied upon, after a day where there is no session, and with `closed`.
 */
export function guardSession(verifier: Judge, token: string, closed: AbortSignal): Following {
  const guard = new SessionGuard(verifier, token)
  if (closed.aborted) {
    guard.end(closed.reason)
  }
  closed.addEventListener('abort', () => guard.end(closed.reason), { once: true })
  guard.begin()
  return guard
}

class SessionGuard implements Following, Follower {
  readonly #verifier: Judge
  readonly #token: string
  readonly #ended = new AbortController()
  readonly #longestAt = clock.now() + LONGEST_MS
  #listener: (actor: Actor) => void = () => {}
  #verdict: Verdict | undefined
  /** Until when the verdict holds where the provider says nothing any more. */
  #reliableUntil = 0
  #look: Promise<void> | undefined
  #isOutdated = false
  #next: NodeJS.Timeout | undefined

  constructor(verifier: Judge, token: string) {
    this.#verifier = verifier
    this.#token = token
    verifier.join(this)
  }

  get ended(): AbortSignal {
    return this.#ended.signal
  }

  onChange(listener: (actor: Actor) => void): void {
    this.#listener = listener
  }

  async actor(): Promise<Actor | undefined> {
    while (this.#look) {
      await this.#look
    }
    return this.ended.aborted ? undefined : this.#verdict?.actor
  }

  begin(): void {
    this.#lookBy(async () => this.#verifier.judge(this.#token))
  }

  end(reason: unknown): void {
    clearTimeout(this.#next)
    this.#verifier.leave(this)
    this.#ended.abort(reason)
  }

  forget(whose: string): void {
    if (whose === EVERYBODY || !this.#verdict || this.#verdict.about.includes(whose)) {
      this.#isOutdated = true
      this.#lookBy(() => this.#renewed())
    }
  }

  /** One look at a time; what changes during one is looked at after it. */
  #lookBy(ask: () => Promise<Verdict>): void {
    if (this.#look || this.ended.aborted) {
      return
    }
    this.#isOutdated = false
    this.#look = ask()
      .then(
        (verdict) => this.#relyOn(verdict),
        (error) => this.#outlast(error)
      )
      .finally(() => {
        this.#look = undefined
        if (this.#isOutdated) {
          this.#lookBy(() => this.#renewed())
        }
      })
  }

  /** A token that ends while it is asked about says nothing of its session. */
  async #renewed(): Promise<Verdict> {
    const { actor } = this.#verdict ?? {}
    const isOver = () => actor !== undefined && clock.now() >= actor.expiresAt * 1_000
    const verdict = isOver() ? undefined : await this.#verifier.renew(this.#token)
    return verdict?.actor || !isOver()
      ? verdict!
      : this.#verifier.renewEnded(this.#token, this.#verdict!)
  }

  #relyOn(verdict: Verdict): void {
    const { actor, until, hasSession } = verdict
    if (this.ended.aborted) {
      return
    }
    if (!actor || (!hasSession && clock.now() >= this.#longestAt)) {
      return this.end(new Unauthorized('The session has ended'))
    }
    const spare = this.#verifier.trustMs * SPARE
    const endsWithToken = until >= actor.expiresAt * 1_000
    this.#verdict = verdict
    this.#reliableUntil = endsWithToken ? until + spare : until
    this.#lookAt(endsWithToken ? until : until - spare)
    if (clock.now() < actor.expiresAt * 1_000) {
      this.#verifier.notice(this.#token, actor)
    }
    this.#listener(actor)
  }

  #outlast(error: unknown): void {
    if (clock.now() >= this.#reliableUntil) {
      return this.end(error)
    }
    this.#lookAt(clock.now() + this.#verifier.trustMs * AGAIN_AFTER)
  }

  #lookAt(time: number): void {
    clearTimeout(this.#next)
    const latest = this.#verdict?.hasSession ? time : Math.min(time, this.#longestAt)
    const wait = Math.max(0, latest - clock.now())
    this.#next = setTimeout(() => this.#lookBy(() => this.#renewed()), wait).unref()
  }
}
