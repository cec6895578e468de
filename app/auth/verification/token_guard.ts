import type { Actor } from '#kernel/actor'
import { EVERYBODY } from '#auth/provider'
import { Unauthorized } from '#kernel/failures'
import { clock } from '#kernel/clock'
import { Alarms, type Alarm, type AlarmListener } from '#kernel/alarms'
import type { EndSignal, EndListener } from '#kernel/end_signal'

import type { VerdictListener, VerdictSource } from './verdict_source.js'
import type { Verdict } from './verdicts.js'

/** The share of a verdict's time that is left when it is renewed: so long the provider may be away unnoticed. */
const RENEWED_BEFORE = 0.25
const ATTEMPTS = 5
/** Guards that are woken at the same time share a timer; a renewal that is further away than this comes with a whole second. */
const ROUNDED_FROM_MS = 10_000

const alarms = new Alarms()

/**
 * For connections that outlive their request. They are ended when the token ends, when it or a permission is revoked (at once
 * where the provider tells, else within the time a verdict is relied upon), and when the provider stays away for longer than that.
 */
export function guardToken(verifier: VerdictSource, token: string, connection: EndSignal): void {
  if (!connection.hasEnded) {
    void new TokenGuard(verifier, token, connection).start()
  }
}

/** There are thousands: each is itself what the verifier, the clock and its connection tell. */
class TokenGuard implements VerdictListener, AlarmListener, EndListener {
  readonly #verifier: VerdictSource
  readonly #token: string
  readonly #connection: EndSignal
  #admitted: Actor | undefined
  #about: readonly string[] = []
  #until: number
  /** For whatever is next: the end, or else the renewal. */
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
    if (id === EVERYBODY || this.#about.includes(id)) {
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
      return this.#expire()
    }
    this.#about = about
    this.#until = until
    if (!this.#admits(actor)) {
      const failure = new Unauthorized('A permission of the caller was taken away; connect again')
      return this.#connection.end(failure)
    }
    if (until < actor.expiresAt * 1_000) {
      const renewal = until - this.#verifier.trustMs * RENEWED_BEFORE
      this.#renewAt(roundDown(renewal))
    } else {
      this.#expireAt(until)
    }
  }

  /** Where nothing has changed, the actor is kept that others keep, too. */
  #admits(actor: Actor): boolean {
    const { permissions } = (this.#admitted ??= actor)
    if (permissions.size === actor.permissions.size) {
      this.#admitted = actor
    }
    return permissions.isSubsetOf(actor.permissions)
  }

  /** What is relied upon ends also while the provider does not answer. */
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

  #expire(): void {
    this.#connection.end(new Unauthorized('The access token has ended'))
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
      this.#alarm = alarms.schedule(this, time)
    }
  }
}

/** A little earlier, where it does not matter. */
function roundDown(time: number): number {
  return time - clock.now() > ROUNDED_FROM_MS ? time - (time % 1_000) : time
}
