import type { KeyObject } from 'node:crypto'

import type { JWK } from 'jose'

import { identityPool } from '#identity/embedded/database'
import { canSign, readKeys, rotateKeys, type SigningKey } from './key_store.js'

/** Tokens with made-up key ids must not become queries of the database. */
const RELOAD_AFTER_MS = 1_000

/** A key that an operator put in the place of another is used by all processes within that time. */
const KEYS_TTL_MS = 60_000

/**
 * The keys of the provider as this process knows them. All processes share those in the database; a process looks there
 * again when its own can sign no more, when it meets a key id it does not know, and once a minute.
 */
export class SigningKeys {
  #keys: SigningKey[] = []
  #loadedAt = Number.NEGATIVE_INFINITY
  #loading: Promise<SigningKey[]> | undefined
  #rotation: Promise<SigningKey[]> | undefined

  /** The key to sign with now. */
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

  /** The public halves, straight from the database: the caller has met a key id that is new to it. */
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
