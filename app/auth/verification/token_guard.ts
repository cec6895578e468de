import type { Actor } from '#kernel/actor'
import { EVERYBODY } from '#auth/provider'
import { Unauthorized } from '#kernel/failures'
import { clock } from '#kernel/clock'
import { Alarms, type Alarm, type AlarmListener } from '#kernel/alarms'
import type { EndSignal, EndListener } from '#kernel/end_signal'

import type { Follower, Judge } from './judge.js'
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
export function guardToken(verifier: Judge, token: string, connection: EndSignal): void {
  if (!connection.hasEnded) {
    void new TokenGuard(verifier, token, connection).begin()
  }
}

/** There are thousands: each is itself what the verifier, the clock and its connection tell. */
class TokenGuard implements Follower, AlarmListener, EndListener {
  readonly #verifier: Judge
  readonly #token: string
  readonly #connection: EndSignal
  #admitted: Actor | undefined
  #about: readonly string[] = []
  #until: number
  /** For whatever is next: the end, or else the renewal. */
  #alarm: Alarm | undefined
  #isEndNext = false

  constructor(verifier: Judge, token: string, connection: EndSignal) {
    this.#verifier = verifier
    this.#token = token
    this.#connection = connection
    this.#until = clock.now() + verifier.trustMs
    verifier.join(this)
    connection.addListener(this)
  }

  onEnd(): void {
    this.#alarm?.cancel(this)
    this.#verifier.leave(this)
  }

  async begin(): Promise<void> {
    try {
      this.#relyOn(await this.#verifier.judge(this.#token))
    } catch (error) {
      this.#connection.end(error)
    }
  }

  forget(whose: string): void {
    if (whose === EVERYBODY || this.#about.includes(whose)) {
      this.#renewAt(clock.now())
    }
  }

  onAlarm(): void {
    if (this.#isEndNext) {
      this.#expire()
    } else {
      this.#renew()
    }
  }

  #relyOn({ actor, until, about }: Verdict): void {
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
      this.#renewAt(roundedFromNow(renewal))
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
      (verdict) => this.#relyOn(verdict),
      () => this.#renewAgain()
    )
  }

  #renewAgain(): void {
    const time = clock.now() + (this.#verifier.trustMs * RENEWED_BEFORE) / ATTEMPTS
    if (time < this.#until) {
      this.#renewAt(time)
    }
  }

  #expire(): void {
    this.#connection.end(new Unauthorized('The access token has ended'))
  }

  #renewAt(time: number): void {
    this.#isEndNext = false
    this.#wakeAt(time)
  }

  #expireAt(time: number): void {
    this.#isEndNext = true
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
function roundedFromNow(time: number): number {
  return time - clock.now() > ROUNDED_FROM_MS ? time - (time % 1_000) : time
}
