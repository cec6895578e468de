import type { KeyObject } from 'node:crypto'

import type { JWK } from 'jose'

import { identityPool } from '#identity/embedded/database'
import { canSign, readKeys, rotateKeys, type SigningKey } from './key_store.js'

/** Limits reloads, so that forged key ids do not become queries. */
const RELOAD_AFTER_MS = 1_000

/** A replaced key is used by all processes within this time. */
const KEYS_TTL_MS = 60_000

/**
 * The signing keys, cached in this process. They are reloaded when no key can sign any more, for an unknown key id, and
 * once a minute.
 */
export class SigningKeys {
  #keys: SigningKey[] = []
  #loadedAt = Number.NEGATIVE_INFINITY
  #loading: Promise<SigningKey[]> | undefined
  #rotation: Promise<SigningKey[]> | undefined

  /** The current signing key. */
  async current(): Promise<SigningKey & { privateKey: KeyObject }> {
    if (!this.#keys.some(canSign) || this.#isStale()) {
      await this.#load()
    }
    if (!this.#keys.some(canSign)) {
      await this.#rotate()
    }
    return this.#keys.find(canSign) as SigningKey & { privateKey: KeyObject }
  }

  async find(kid: string): Promise<KeyObject | undefined> {
    const loaded = this.#isStale() ? undefined : this.#findLoaded(kid)
    const isFresh = !this.#loading && performance.now() - this.#loadedAt < RELOAD_AFTER_MS
    if (loaded || isFresh) {
      return loaded
    }
    await this.#load()
    return this.#findLoaded(kid)
  }

  /** The public keys, always reloaded: callers ask when they meet an unknown key id. */
  async published(): Promise<JWK[]> {
    await this.current()
    await this.#load()
    return this.#keys.map(({ publicJwk }) => publicJwk)
  }

  #isStale(): boolean {
    return performance.now() - this.#loadedAt > KEYS_TTL_MS
  }

  #findLoaded(kid: string): KeyObject | undefined {
    return this.#keys.find((key) => key.kid === kid)?.publicKey
  }

  async #load(): Promise<void> {
    this.#loading ??= readKeys(identityPool()).finally(() => (this.#loading = undefined))
    this.#keys = await this.#loading
    this.#loadedAt = performance.now()
  }

  async #rotate(): Promise<void> {
    this.#rotation ??= rotateKeys(identityPool()).finally(() => (this.#rotation = undefined))
    this.#keys = await this.#rotation
  }
}

export const signingKeys = new SigningKeys()
