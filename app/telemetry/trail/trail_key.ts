import {
  createHash,
  createPrivateKey,
  createPublicKey,
  hkdfSync,
  sign,
  verify,
  type KeyObject,
} from 'node:crypto'

import { oncePer } from '#kernel/once_per'
import { appSettings, type AppSettings } from '#settings/app_settings'

const PURPOSE = 'audit trail'
/** The PKCS #8 header of the 32 bytes of an Ed25519 key. */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex')

/** The key that signs the audit trail, derived from the application key. Verifiers need only its public half. */
export class TrailKey {
  readonly #private: KeyObject
  readonly #public: KeyObject

  readonly #former: readonly TrailKey[]

  /** Signatures of keys that are derived from former secrets are valid as well. */
  constructor(secret: string, ...former: readonly string[]) {
    this.#former = former.map((each) => new TrailKey(each))
    const seed = Buffer.from(hkdfSync('sha256', secret, '', PURPOSE, 32))
    const der = Buffer.concat([PKCS8_HEAD, seed])
    this.#private = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
    this.#public = createPublicKey(this.#private)
  }

  sign(statement: string): Buffer {
    return sign(null, Buffer.from(statement), this.#private)
  }

  verifies(statement: string, signature: Uint8Array): boolean {
    return (
      this.isSignedByCurrentKey(statement, signature) ||
      this.isSignedByFormerKey(statement, signature)
    )
  }

  /** Whether this key made the signature. */
  isSignedByCurrentKey(statement: string, signature: Uint8Array): boolean {
    return verify(null, Buffer.from(statement), this.#public, signature)
  }

  /** Whether a former key made the signature. */
  isSignedByFormerKey(statement: string, signature: Uint8Array): boolean {
    return this.#former.some((key) => key.isSignedByCurrentKey(statement, signature))
  }

  get publicKey(): string {
    return this.#public.export({ type: 'spki', format: 'der' }).toString('base64')
  }

  /** Short enough to compare by eye. */
  get fingerprint(): string {
    return createHash('sha256').update(this.publicKey).digest('hex').slice(0, 32)
  }
}

const trailKeyOf = oncePer(({ appKeys }: AppSettings) => new TrailKey(...appKeys))

/** The key of this installation. */
export const trailKey = (): TrailKey => trailKeyOf(appSettings())
