import type { Verdict } from './verdicts.js'

/** Says whose a token is, and for how long that can be relied upon. */
export interface Judge {
  /** For how long an accepted token is accepted again unasked. */
  readonly trustMs: number
  judge(token: string): Promise<Verdict> | Verdict
  /** As `judge`, but asks even where the answer is known. */
  renew(token: string): Promise<Verdict>
  /** As `renew`, for a token whose own time is over: what holds for its bearer while the session goes on. */
  renewEnded(token: string, verdict: Verdict): Promise<Verdict>
  /** Has a function called with each identity that is forgotten, until the returned one is. */
  onForgotten(listener: (whose: string) => void): () => void
}
