import { inject } from '@adonisjs/core'
import { RateLimited } from '#kernel/failures'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'

import { isUuid } from '#kernel/is_uuid'

import { isLegacyClient } from './legacy_client.js'
import { WebhookSecrets } from './webhook_secrets.js'

const BASIC = /^basic ([a-z0-9+/]+={0,2})$/i
const FAILURES_A_MINUTE = 10

/** The sender of a webhook request. The registry is null if it used the legacy client, which any of them may. */
export type WebhookSender = { readonly registryId: string | null }

/**
 * Authenticates the senders of webhook requests. An attempt is counted before its secret is compared, so that concurrent
 * requests do not bypass the limit; a success restores it.
 */
@inject()
export class WebhookSenders {
  readonly #secrets: WebhookSecrets
  readonly #attempts = new RateLimiterMemory({ points: FAILURES_A_MINUTE, duration: 60 })

  constructor(secrets: WebhookSecrets) {
    this.#secrets = secrets
  }

  /** Returns undefined if the header matches no registry. Throws if the address exceeded the limit of failures. */
  async find(header: string | undefined, address: string): Promise<WebhookSender | undefined> {
    const encoded = BASIC.exec(header ?? '')?.[1]
    if (encoded === undefined) {
      return undefined
    }
    await this.#countAttempt(address)
    const sent = Buffer.from(encoded, 'base64')
    const end = sent.indexOf(':')
    const sender = end < 0 ? undefined : await this.#findSender(sent, end)
    if (sender) {
      await this.#attempts.reward(address)
    }
    return sender
  }

  async #findSender(sent: Buffer, end: number): Promise<WebhookSender | undefined> {
    const name = sent.subarray(0, end).toString()
    const secret = sent.subarray(end + 1)
    if (isUuid(name) && (await this.#secrets.verify(name.toLowerCase(), secret))) {
      return { registryId: name.toLowerCase() }
    }
    return (await isLegacyClient(name, secret)) ? { registryId: null } : undefined
  }

  async #countAttempt(address: string): Promise<void> {
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
