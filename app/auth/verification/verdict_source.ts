import type { Actor } from '#kernel/actor'

import type { Verdict } from './verdicts.js'

/** Somebody who is told of each identity that is forgotten. */
export interface VerdictListener {
  invalidate(whose: string): void
}

/** Says whose a token is, and for how long that can be relied upon. */
export interface VerdictSource {
  /** For how long an accepted token is accepted again unasked. */
  readonly trustMs: number
  verdictFor(token: string): Promise<Verdict> | Verdict
  /** As `judge`, but asks even where the answer is known. */
  renew(token: string): Promise<Verdict>
  /** As `renew`, for a token whose own time is over: what holds for its bearer while the session goes on. */
  renewExpired(token: string, verdict: Verdict): Promise<Verdict>
  /** Has the provider prepare for `renewEnded` while the token is good; where that fails, it is tried with the next call. */
  observeToken(token: string, actor: Actor): void
  /** Tells a follower of each identity that is forgotten, until it leaves. */
  addListener(listener: VerdictListener): void
  removeListener(listener: VerdictListener): void
}
