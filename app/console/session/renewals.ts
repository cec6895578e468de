import { hash } from 'node:crypto'

import { inject } from '@adonisjs/core'
import { LRUCache } from 'lru-cache'

import { SingleFlight } from '#kernel/single_flight'
import { TokenRequests, TokensRefused } from '#console/sign_in/token_requests'
import type { ConsoleSession } from './console_session.js'

/** The time for which requests with the former cookie get the renewed session. */
const REUSE_MS = 30_000
const MAX_SESSIONS = 1_000

/**
 * Renews the tokens of sessions. Concurrent requests share one renewal, since a refresh token can be used only once.
 */
@inject()
export class Renewals {
  readonly #requests: TokenRequests
  readonly #underWay = new SingleFlight<string, ConsoleSession>()
  readonly #renewed = new LRUCache<string, ConsoleSession>({ max: MAX_SESSIONS, ttl: REUSE_MS })

  constructor(requests: TokenRequests) {
    this.#requests = requests
  }

  /** The renewed session; undefined if the provider has ended it. Throws if it cannot be reached. */
  async renew(session: ConsoleSession, address: string): Promise<ConsoleSession | undefined> {
    if (session.refreshToken === undefined) {
      return undefined
    }
    const key = hash('sha256', session.refreshToken + session.accessToken)
    const renewed = this.#renewed.get(key)
    return (
      renewed ?? this.#underWay.run(key, () => this.#request(key, session, address)).catch(refused)
    )
  }

  async #request(key: string, session: ConsoleSession, address: string): Promise<ConsoleSession> {
    const renewed = await this.#requests.renew(session, address)
    this.#renewed.set(key, renewed)
    return renewed
  }
}

function refused(error: unknown): undefined {
  if (!(error instanceof TokensRefused)) {
    throw error
  }
}
