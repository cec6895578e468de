import { createECDH, createPrivateKey, hkdfSync, sign, type KeyObject } from 'node:crypto'

import { ImageKey, KeyUnusable, requireP256 } from './image_key.js'

const PURPOSE = 'image signatures'
/** The order of P-256 minus one: the number of valid private keys. */
const SCALAR_COUNT = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632550n
/** 128 bits more than a scalar, so that the modulo introduces no bias. */
const SEED_BYTES = 48
const SCALAR_BYTES = 32

/** Signs with ECDSA P-256 and SHA-256, the default of cosign. */
export class SigningKey {
  readonly #key: KeyObject
  readonly public: ImageKey

  private constructor(key: KeyObject, what?: string) {
    this.#key = key
    this.public = new ImageKey(key, what)
  }

  static fromPem(pem: string, what: string): SigningKey {
    try {
      const key = createPrivateKey(pem)
      requireP256(key, what)
      return new SigningKey(key, what)
    } catch (error) {
      // The openssl error may quote the key.
      throw error instanceof KeyUnusable ? error : new KeyUnusable(what)
    }
  }

  /** Derives the same key from the same secret on every machine. */
  static derivedFrom(secret: string): SigningKey {
    const seed = Buffer.from(hkdfSync('sha256', secret, '', PURPOSE, SEED_BYTES))
    const scalar = (BigInt(`0x${seed.toString('hex')}`) % SCALAR_COUNT) + 1n
    const d = Buffer.from(scalar.toString(16).padStart(2 * SCALAR_BYTES, '0'), 'hex')
    const curve = createECDH('prime256v1')
    curve.setPrivateKey(d)
    const point = curve.getPublicKey()
    const jwk = {
      kty: 'EC',
      crv: 'P-256',
      d: d.toString('base64url'),
      x: point.subarray(1, 1 + SCALAR_BYTES).toString('base64url'),
      y: point.subarray(1 + SCALAR_BYTES).toString('base64url'),
    }
    return new SigningKey(createPrivateKey({ key: jwk, format: 'jwk' }))
  }

  /** The private key, for a worker that gets nothing else of the installation's secrets. */
  toPem(): string {
    return String(this.#key.export({ type: 'pkcs8', format: 'pem' }))
  }

  sign(bytes: Uint8Array): Buffer {
    return sign('sha256', bytes, this.#key)
  }
}
