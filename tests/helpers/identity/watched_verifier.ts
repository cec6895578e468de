import { TokenVerifier } from '#auth/verification/token_verifier'
import type { Verdict } from '#auth/verification/verdicts'
import { eventually } from '#tests/helpers/eventually'

/** Shows when connections have a new verdict and have acted on it. */
export class WatchedVerifier extends TokenVerifier {
  #underWay = 0
  #renewed = 0

  override verdictFor(token: string): Promise<Verdict> | Verdict {
    const verdict = super.verdictFor(token)
    return verdict instanceof Promise ? this.#watch(verdict) : verdict
  }

  override renew(token: string): Promise<Verdict> {
    return this.#watchRenewal(super.renew(token))
  }

  override renewExpired(token: string, verdict: Verdict): Promise<Verdict> {
    return this.#watchRenewal(super.renewExpired(token, verdict))
  }

  get renewals(): number {
    return this.#renewed
  }

  /** Resolves when no verdict is awaited. */
  async untilIdle(): Promise<void> {
    await eventually(() => this.#underWay === 0)
  }

  /** Resolves when connections have acted on this many more renewals. */
  async untilRenewed(times: number): Promise<void> {
    const due = this.#renewed + times
    await eventually(() => this.#renewed >= due)
  }

  #watchRenewal(verdict: Promise<Verdict>): Promise<Verdict> {
    const onSettled = () => void setImmediate(() => (this.#renewed += 1))
    verdict.then(onSettled, onSettled)
    return this.#watch(verdict)
  }

  #watch(verdict: Promise<Verdict>): Promise<Verdict> {
    this.#underWay += 1
    const onSettled = () => void setImmediate(() => (this.#underWay -= 1))
    verdict.then(onSettled, onSettled)
    return verdict
  }
}
