import { RateLimited } from '#kernel/failures'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'

import { isUuid } from '#kernel/is_uuid'

import { isFormerClient } from './former_client.js'
import type { HookSecrets } from './hook_secrets.js'

const BASIC = /^basic ([a-z0-9+/]+={0,2})$/i
const FAILURES_A_MINUTE = 10

/** Who told something: a registry by its own secret, or one that still is the provider's client, which may be any. */
export type HookSender = { readonly registryId: string | null }

/**
 * Finds out which registry sends a request. Attempts of one address are counted before their secret is compared, so that many
 * at once are no more than one after the other; one that succeeds is taken off again.
 */
export class HookSenders {
  readonly #secrets: HookSecrets
  readonly #attempts = new RateLimiterMemory({ points: FAILURES_A_MINUTE, duration: 60 })

  constructor(secrets: HookSecrets) {
    this.#secrets = secrets
  }

  /** Undefined where the header is not what any registry was told to send. Throws where an address guesses. */
  async find(header: string | undefined, address: string): Promise<HookSender | undefined> {
    const encoded = BASIC.exec(header ?? '')?.[1]
    if (encoded === undefined) {
      return undefined
    }
    await this.#count(address)
    const sent = Buffer.from(encoded, 'base64')
    const end = sent.indexOf(':')
    const sender = end < 0 ? undefined : await this.#sender(sent, end)
    if (sender) {
      await this.#attempts.reward(address)
    }
    return sender
  }

  async #sender(sent: Buffer, end: number): Promise<HookSender | undefined> {
    const name = sent.subarray(0, end).toString()
    const secret = sent.subarray(end + 1)
    if (isUuid(name) && (await this.#secrets.isOf(name.toLowerCase(), secret))) {
      return { registryId: name.toLowerCase() }
    }
    return (await isFormerClient(name, secret)) ? { registryId: null } : undefined
  }

  async #count(address: string): Promise<void> {
    try {
      await this.#attempts.consume(address)
    } catch (refusal) {
      if (refusal instanceof RateLimiterRes) {
        throw new RateLimited(Math.max(1, Math.ceil(refusal.msBeforeNext / 1000)))
      }
      throw refusal
    }
  }
}
