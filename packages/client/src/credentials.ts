/** The login with which requests are sent. */
export interface Credentials {
  /** Undefined without a login. */
  token(): Promise<string | undefined>
  /** Another token than the one that was refused; undefined if there is none. */
  renewed(refused: string | undefined): Promise<string | undefined>
}

/** A token that cannot be renewed. */
export const fixedToken = (token: string | undefined): Credentials => ({
  token: async () => token,
  renewed: async () => undefined,
})

export interface IssuedToken {
  readonly token: string
  readonly renewAt: number
}

/** A token that is requested again before it expires, or when it was refused. All requests share one renewal. */
export class SharedToken implements Credentials {
  readonly #issue: () => Promise<IssuedToken>
  readonly #now: () => number
  #current: IssuedToken | undefined
  #renewal: Promise<IssuedToken> | undefined

  constructor(issue: () => Promise<IssuedToken>, now: () => number = Date.now) {
    this.#issue = issue
    this.#now = now
  }

  token(): Promise<string> {
    return this.renewed(undefined)
  }

  async renewed(refused: string | undefined): Promise<string> {
    const current = this.#current
    if (current && current.token !== refused && current.renewAt > this.#now()) {
      return current.token
    }
    this.#renewal ??= this.#issue().finally(() => (this.#renewal = undefined))
    this.#current = await this.#renewal
    return this.#current.token
  }
}
