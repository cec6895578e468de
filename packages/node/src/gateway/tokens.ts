import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

import { SignJWT } from 'jose'

import type { GatewayTokens } from './gateway.js'

/** The token is renewed in the container long before it ends. */
const LIFE_SECONDS = 3600

/** The tokens of one analysis for its gateway. The hub and other nodes do not accept them. */
export class AnalysisTokens implements GatewayTokens {
  readonly #analysisId: string
  readonly #key = randomBytes(32)
  #accepted: readonly string[] = []
  /** The token for data sources. */
  readonly data = randomBytes(24).toString('base64url')

  constructor(analysisId: string) {
    this.#analysisId = analysisId
  }

  /** The first token, whose end the analysis can read. */
  async issue(): Promise<string> {
    const token = await this.#newToken()
    this.#accepted = [token]
    return token
  }

  /** Replaces the token after the analysis has accepted the new one; the previous one stays valid. */
  async renew(handOver: (token: string) => Promise<void>): Promise<void> {
    const former = this.#accepted
    const token = await this.#newToken()
    this.#accepted = [...former, token]
    try {
      await handOver(token)
      this.#accepted = [...former.slice(-1), token]
    } catch {
      this.#accepted = former
    }
  }

  #newToken(): Promise<string> {
    return new SignJWT({})
      .setProtectedHeader({ alg: 'HS256' })
      .setSubject(this.#analysisId)
      .setIssuedAt()
      .setExpirationTime(`${LIFE_SECONDS}s`)
      .sign(this.#key)
  }

  accepts(kind: 'node' | 'data', shown: string): boolean {
    const valid = kind === 'data' ? [this.data, ...this.#accepted] : this.#accepted
    return valid.some((token) => isEqual(token, shown))
  }
}

function isEqual(one: string, other: string): boolean {
  return timingSafeEqual(digest(one), digest(other))
}

const digest = (text: string) => createHash('sha256').update(text).digest()
