import type { Actor } from '#kernel/actor'
import type { Alarms } from '#kernel/alarms'

import type { Verdict } from './verdicts.js'

/** Notified of each id whose verdicts are invalidated. */
export interface VerdictListener {
  invalidate(id: string): void
}

/** Verifies tokens and says how long the result can be relied on. */
export interface VerdictSource {
  /** How long a verdict on an accepted token is cached. */
  readonly trustMs: number
  /** The timers of the guards. */
  readonly alarms: Alarms
  verdictFor(token: string): Promise<Verdict> | Verdict
  /** Like `verdictFor`, without the cache. */
  renew(token: string): Promise<Verdict>
  /** Like `renew`, for an expired token: the access of its account while the session lasts. */
  renewExpired(token: string, verdict: Verdict): Promise<Verdict>
  /** Lets the provider prepare `renewExpired` while the token is valid. Failures are ignored until the next call. */
  observeToken(token: string, actor: Actor): void
  /** Notifies a listener of invalidated ids until it is removed. */
  addListener(listener: VerdictListener): void
  removeListener(listener: VerdictListener): void
}
