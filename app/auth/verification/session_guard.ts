import type { Actor } from '#kernel/actor'
import type { SessionWatch } from '#auth/authenticator'
import { Unauthorized } from '#kernel/failures'
import { ALL_IDS } from '#auth/provider'
import { clock } from '#kernel/clock'

import type { VerdictListener, VerdictSource } from './verdict_source.js'
import type { Verdict } from './verdicts.js'

/** The share of a verdict's lifetime at which it is renewed, and after which a failed renewal is retried. */
const RENEWAL_MARGIN = 0.25
const RETRY_INTERVAL = 0.05
/** The maximum lifetime of a connection without a session. */
const MAX_LIFETIME_MS = 24 * 60 * 60_000

/**
 * Watches a connection that outlives its token. It ends with the session, when the provider is unavailable for longer
 * than the verdict can be relied on, after a day if there is no session, and with `closed`.
 */
export function guardSession(
  verifier: VerdictSource,
  token: string,
  closed: AbortSignal
): SessionWatch {
  const guard = new SessionGuard(verifier, token)
  if (closed.aborted) {
    guard.end(closed.reason)
  }
  closed.addEventListener('abort', () => guard.end(closed.reason), { once: true })
  guard.start()
  return guard
}

class SessionGuard implements SessionWatch, VerdictListener {
  readonly #verifier: VerdictSource
  readonly #token: string
  readonly #ended = new AbortController()
  readonly #expiresAt = clock.now() + MAX_LIFETIME_MS
  #listener: (actor: Actor) => void = () => {}
  #verdict: Verdict | undefined
  /** Until when the verdict is used while the provider is unavailable. */
  #reliableUntil = 0
  #check: Promise<void> | undefined
  #isOutdated = false
  #timer: NodeJS.Timeout | undefined

  constructor(verifier: VerdictSource, token: string) {
    this.#verifier = verifier
    this.#token = token
    verifier.addListener(this)
  }

  get ended(): AbortSignal {
    return this.#ended.signal
  }

  onChange(listener: (actor: Actor) => void): void {
    this.#listener = listener
  }

  async actor(): Promise<Actor | undefined> {
    while (this.#check) {
      await this.#check
    }
    return this.ended.aborted ? undefined : this.#verdict?.actor
  }

  start(): void {
    this.#runCheck(async () => this.#verifier.verdictFor(this.#token))
  }

  end(reason: unknown): void {
    clearTimeout(this.#timer)
    this.#verifier.removeListener(this)
    this.#ended.abort(reason)
  }

  invalidate(id: string): void {
    if (id === ALL_IDS || !this.#verdict || this.#verdict.about.includes(id)) {
      this.#isOutdated = true
      this.#runCheck(() => this.#renew())
    }
  }

  /** One check at a time. A change during a check triggers another one. */
  #runCheck(request: () => Promise<Verdict>): void {
    if (this.#check || this.ended.aborted) {
      return
    }
    this.#isOutdated = false
    this.#check = request()
      .then(
        (verdict) => this.#accept(verdict),
        (error) => this.#retryUnlessExpired(error)
      )
      .finally(() => {
        this.#check = undefined
        if (this.#isOutdated) {
          this.#runCheck(() => this.#renew())
        }
      })
  }

  /** The result for a token that expires during the request says nothing about its session. */
  async #renew(): Promise<Verdict> {
    const { actor } = this.#verdict ?? {}
    const hasExpired = () => actor !== undefined && clock.now() >= actor.expiresAt * 1_000
    const verdict = hasExpired() ? undefined : await this.#verifier.renew(this.#token)
    return verdict?.actor || !hasExpired()
      ? verdict!
      : this.#verifier.renewExpired(this.#token, this.#verdict!)
  }

  #accept(verdict: Verdict): void {
    const { actor, until, hasSession } = verdict
    if (this.ended.aborted) {
      return
    }
    if (!actor || (!hasSession && clock.now() >= this.#expiresAt)) {
      return this.end(new Unauthorized('The session has ended'))
    }
    const margin = this.#verifier.trustMs * RENEWAL_MARGIN
    const endsWithToken = until >= actor.expiresAt * 1_000
    this.#verdict = verdict
    this.#reliableUntil = endsWithToken ? until + margin : until
    this.#scheduleCheck(endsWithToken ? until : until - margin)
    if (clock.now() < actor.expiresAt * 1_000) {
      this.#verifier.observeToken(this.#token, actor)
    }
    this.#listener(actor)
  }

  #retryUnlessExpired(error: unknown): void {
    if (clock.now() >= this.#reliableUntil) {
      return this.end(error)
    }
    this.#scheduleCheck(clock.now() + this.#verifier.trustMs * RETRY_INTERVAL)
  }

  #scheduleCheck(time: number): void {
    clearTimeout(this.#timer)
    const latest = this.#verdict?.hasSession ? time : Math.min(time, this.#expiresAt)
    const wait = Math.max(0, latest - clock.now())
    this.#timer = setTimeout(() => this.#runCheck(() => this.#renew()), wait).unref()
  }
}
