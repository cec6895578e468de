import { createHash, createPublicKey, verify, type KeyObject } from 'node:crypto'

/** The value is not a usable signing key. */
export class KeyUnusable extends Error {
  static readonly code = 'keyUnusable'
  readonly code = KeyUnusable.code

  constructor(what: string, cause?: unknown) {
    super(
      `${what} is not an ECDSA P-256 key in PEM format: create one with openssl ecparam -name prime256v1`,
      {
        cause,
      }
    )
  }
}

/** The public key that verifies image signatures. */
export class ImageKey {
  readonly #key: KeyObject
  /** PEM that cosign, podman and openssl accept. */
  readonly pem: string
  /** SHA-256 of the key's DER form: `openssl pkey -pubin -outform der | sha256sum` shows the same. */
  readonly fingerprint: string

  constructor(key: KeyObject, what = 'The key') {
    requireP256(key, what)
    this.#key = key.type === 'public' ? key : createPublicKey(key)
    this.pem = String(this.#key.export({ type: 'spki', format: 'pem' }))
    const der = this.#key.export({ type: 'spki', format: 'der' })
    this.fingerprint = createHash('sha256').update(der).digest('hex')
  }

  /** Parses a file with one or more concatenated keys. */
  static allIn(text: string, what = 'The file'): [ImageKey, ...ImageKey[]] {
    const [first, ...more] = (text.match(PUBLIC_KEYS) ?? []).map((pem) => ImageKey.from(pem, what))
    if (!first) {
      throw new KeyUnusable(what)
    }
    return [first, ...more]
  }

  static from(pem: string, what?: string): ImageKey {
    try {
      return new ImageKey(createPublicKey(pem), what)
    } catch (error) {
      throw error instanceof KeyUnusable ? error : new KeyUnusable(what ?? 'The key', error)
    }
  }

  verifies(bytes: Uint8Array, signature: Uint8Array): boolean {
    return verify('sha256', bytes, this.#key, signature)
  }
}

const PUBLIC_KEYS = /-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/g

export function requireP256(key: KeyObject, what: string): void {
  if (key.asymmetricKeyType !== 'ec' || key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') {
    throw new KeyUnusable(what)
  }
}
