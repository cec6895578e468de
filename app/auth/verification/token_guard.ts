import type { Actor } from '#kernel/actor'
import { ALL_IDS } from '#auth/provider'
import { IdentityUnavailable, Unauthorized } from '#kernel/failures'
import { clock } from '#kernel/clock'
import type { Alarm, AlarmListener } from '#kernel/alarms'
import type { EndSignal, EndListener } from '#kernel/end_signal'

import type { VerdictListener, VerdictSource } from './verdict_source.js'
import type { Verdict } from './verdicts.js'

/** The share of a verdict's lifetime that remains when it is renewed. The provider may be unavailable for that long. */
const RENEWED_BEFORE = 0.25
const ATTEMPTS = 5
/** Guards that wake at the same time share a timer, so renewals further away than this are rounded to a full second. */
const ROUNDED_FROM_MS = 10_000

/**
 * Guards a connection that outlives its request. It ends when the token expires, when the token or a permission is
 * revoked (at once if the provider sends events, else within the lifetime of a verdict), and when the provider is
 * unavailable for longer than that, for which the token is not to blame.
 */
export function guardToken(verifier: VerdictSource, token: string, connection: EndSignal): void {
  if (!connection.hasEnded) {
    void new TokenGuard(verifier, token, connection).start()
  }
}

/** There are thousands of guards, so each implements the listeners itself instead of allocating closures. */
class TokenGuard implements VerdictListener, AlarmListener, EndListener {
  readonly #verifier: VerdictSource
  readonly #token: string
  readonly #connection: EndSignal
  #admitted: Actor | undefined
  #about: readonly string[] = []
  #until: number
  /** The timer of the next step: the expiry or the renewal. */
  #alarm: Alarm | undefined
  #isExpiryNext = false

  constructor(verifier: VerdictSource, token: string, connection: EndSignal) {
    this.#verifier = verifier
    this.#token = token
    this.#connection = connection
    this.#until = clock.now() + verifier.trustMs
    verifier.addListener(this)
    connection.addListener(this)
  }

  onEnd(): void {
    this.#alarm?.cancel(this)
    this.#verifier.removeListener(this)
  }

  async start(): Promise<void> {
    try {
      this.#accept(await this.#verifier.verdictFor(this.#token))
    } catch (error) {
      this.#connection.end(error)
    }
  }

  invalidate(id: string): void {
    if (id === ALL_IDS || this.#about.includes(id)) {
      this.#renewAt(clock.now())
    }
  }

  onAlarm(): void {
    if (this.#isExpiryNext) {
      this.#expire()
    } else {
      this.#renew()
    }
  }

  #accept({ actor, until, about }: Verdict): void {
    if (!actor) {
      return this.#reject()
    }
    this.#about = about
    this.#until = until
    if (!this.#admits(actor)) {
      const failure = new Unauthorized('A permission of the caller was revoked: connect again')
      return this.#connection.end(failure)
    }
    if (until < actor.expiresAt * 1_000) {
      const renewal = until - this.#verifier.trustMs * RENEWED_BEFORE
      this.#renewAt(roundDown(renewal))
    } else {
      this.#expireAt(until)
    }
  }

  /** If nothing has changed, uses the actor object that other guards share. */
  #admits(actor: Actor): boolean {
    const { permissions } = (this.#admitted ??= actor)
    if (permissions.size === actor.permissions.size) {
      this.#admitted = actor
    }
    return permissions.isSubsetOf(actor.permissions)
  }

  /** The verdict also expires while the provider is unavailable. */
  #renew(): void {
    this.#expireAt(this.#until)
    this.#verifier.renew(this.#token).then(
      (verdict) => this.#accept(verdict),
      () => this.#retryRenewal()
    )
  }

  #retryRenewal(): void {
    const time = clock.now() + (this.#verifier.trustMs * RENEWED_BEFORE) / ATTEMPTS
    if (time < this.#until) {
      this.#renewAt(time)
    }
  }

  /** A token that is active for all that is known says nothing against its client. */
  #expire(): void {
    const expiresAt = this.#admitted ? this.#admitted.expiresAt * 1_000 : Infinity
    if (this.#until < expiresAt) {
      this.#connection.end(new IdentityUnavailable())
    } else {
      this.#reject()
    }
  }

  #reject(): void {
    this.#connection.end(new Unauthorized('The access token has expired or was revoked'))
  }

  #renewAt(time: number): void {
    this.#isExpiryNext = false
    this.#wakeAt(time)
  }

  #expireAt(time: number): void {
    this.#isExpiryNext = true
    this.#wakeAt(time)
  }

  #wakeAt(time: number): void {
    this.#alarm?.cancel(this)
    if (!this.#connection.hasEnded) {
      this.#alarm = this.#verifier.alarms.schedule(this, time)
    }
  }
}

/** Rounds times in the distant future down to a full second. */
function roundDown(time: number): number {
  return time - clock.now() > ROUNDED_FROM_MS ? time - (time % 1_000) : time
}
