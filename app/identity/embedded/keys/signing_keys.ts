import type { KeyObject } from 'node:crypto'

import type { JWK } from 'jose'

import type { DatabasePool } from '#database/database_pool'
import { identityPool } from '#identity/embedded/database'
import { oncePer } from '#kernel/once_per'
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
  readonly #pool: DatabasePool
  #keys: SigningKey[] = []
  #loadedAt = Number.NEGATIVE_INFINITY
  #loading: Promise<SigningKey[]> | undefined
  #rotation: Promise<SigningKey[]> | undefined

  constructor(pool: DatabasePool) {
    this.#pool = pool
  }

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
    this.#loading ??= readKeys(this.#pool).finally(() => (this.#loading = undefined))
    this.#keys = await this.#loading
    this.#loadedAt = performance.now()
  }

  async #rotate(): Promise<void> {
    this.#rotation ??= rotateKeys(this.#pool).finally(() => (this.#rotation = undefined))
    this.#keys = await this.#rotation
  }
}

const keysIn = oncePer((pool: DatabasePool) => new SigningKeys(pool))

/** The signing keys of the embedded provider. */
export const signingKeys = (): SigningKeys => keysIn(identityPool())
