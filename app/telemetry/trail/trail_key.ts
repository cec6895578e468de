import {
  createHash,
  createPrivateKey,
  createPublicKey,
  hkdfSync,
  sign,
  verify,
  type KeyObject,
} from 'node:crypto'

import { applicationKeys } from '#configuration/application_key'
import { env } from '#start/env'

const PURPOSE = 'audit trail'
/** What stands before the 32 bytes of an Ed25519 key in PKCS #8. */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex')

/**
 * The key that signs the audit trail. It is derived from the application key; who checks a trail needs its public half only.
 */
export class TrailKey {
  readonly #private: KeyObject
  readonly #public: KeyObject

  readonly #former: readonly TrailKey[]

  /** What was signed with keys derived from the former secrets counts as well. */
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

  /** Whether it is a signature of this very key. */
  isSignedByCurrentKey(statement: string, signature: Uint8Array): boolean {
    return verify(null, Buffer.from(statement), this.#public, signature)
  }

  /** Whether it is a signature of a key that came before this one. */
  isSignedByFormerKey(statement: string, signature: Uint8Array): boolean {
    return this.#former.some((key) => key.isSignedByCurrentKey(statement, signature))
  }

  get publicKey(): string {
    return this.#public.export({ type: 'spki', format: 'der' }).toString('base64')
  }

  /** Short enough to be compared by eye with what was written down elsewhere. */
  get fingerprint(): string {
    return createHash('sha256').update(this.publicKey).digest('hex').slice(0, 32)
  }
}

let current: TrailKey | undefined

/** The key of this installation. */
export function trailKey(): TrailKey {
  return (current ??= new TrailKey(...applicationKeys(env)))
}
