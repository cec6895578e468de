import type { Actor } from '#kernel/actor'
import { Unauthorized } from '#kernel/failures'
import { clock } from '#kernel/clock'

import type { Judge } from './judge.js'
import type { Verdict } from './verdicts.js'

/** The share of a verdict's time that is left when it is renewed: so long the provider may be away unnoticed. */
const RENEWED_BEFORE = 0.25
const ATTEMPTS = 5

/**
 * For connections that outlive their request. The signal aborts when the token ends, when it or a permission is revoked
 * (which is seen within the time a verdict is relied upon), when the provider stays away for longer than that, and with
 * `closed`.
 */
export function guardToken(verifier: Judge, token: string, closed: AbortSignal): AbortSignal {
  const guard = new TokenGuard(verifier, token)
  if (closed.aborted) {
    guard.end(closed.reason)
  } else {
    closed.addEventListener('abort', () => guard.end(closed.reason), { once: true })
    void guard.begin()
  }
  return guard.signal
}

class TokenGuard {
  readonly #verifier: Judge
  readonly #token: string
  readonly #ended = new AbortController()
  #admitted: Actor | undefined
  #deadline: NodeJS.Timeout | undefined
  #renewal: NodeJS.Timeout | undefined

  constructor(verifier: Judge, token: string) {
    this.#verifier = verifier
    this.#token = token
  }

  get signal(): AbortSignal {
    return this.#ended.signal
  }

  async begin(): Promise<void> {
    try {
      this.#relyOn(await this.#verifier.judge(this.#token))
    } catch (error) {
      this.end(error)
    }
  }

  end(reason: unknown): void {
    clearTimeout(this.#deadline)
    clearTimeout(this.#renewal)
    this.#ended.abort(reason)
  }

  #relyOn({ actor, until }: Verdict): void {
    if (this.signal.aborted) {
      return
    }
    if (!actor) {
      return this.end(new Unauthorized('The access token has ended'))
    }
    this.#admitted ??= actor
    if (!this.#admitted.permissions.isSubsetOf(actor.permissions)) {
      return this.end(new Unauthorized('A permission of the caller was taken away; connect again'))
    }
    clearTimeout(this.#deadline)
    this.#deadline = at(until, () => this.end(new Unauthorized('The access token has ended')))
    if (until < actor.expiresAt * 1_000) {
      this.#renewAt(until - this.#verifier.trustMs * RENEWED_BEFORE)
    }
  }

  #renewAt(time: number): void {
    this.#renewal = at(time, () => {
      this.#verifier.renew(this.#token).then(
        (verdict) => this.#relyOn(verdict),
        () => this.#renewAt(clock.now() + (this.#verifier.trustMs * RENEWED_BEFORE) / ATTEMPTS)
      )
    })
  }
}

function at(time: number, act: () => void): NodeJS.Timeout {
  return setTimeout(act, Math.max(0, time - clock.now())).unref()
}
