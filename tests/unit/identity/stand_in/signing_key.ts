import {
  generateKeyPairSync,
  randomUUID,
  sign,
  verify,
  type JsonWebKey,
  type KeyObject,
} from 'node:crypto'

type Json = Record<string, unknown>

/** A key pair that signs any JWT, including invalid ones. */
export class SigningKey {
  readonly id: string
  readonly #private: KeyObject
  readonly #public: KeyObject

  constructor(id: string = randomUUID()) {
    this.id = id
    const pair = generateKeyPairSync('rsa', { modulusLength: 2048 })
    this.#private = pair.privateKey
    this.#public = pair.publicKey
  }

  get jwk(): JsonWebKey & Json {
    return { ...this.#public.export({ format: 'jwk' }), kid: this.id, alg: 'RS256', use: 'sig' }
  }

  /** The public key as text, for algorithm confusion attacks. */
  get pem(): string {
    return this.#public.export({ format: 'pem', type: 'spki' }) as string
  }

  sign(claims: Json, header: Json = {}): string {
    const signed = unsigned({ alg: 'RS256', typ: 'JWT', kid: this.id, ...header }, claims)
    const signature = sign('sha256', Buffer.from(signed), this.#private)
    return `${signed}.${signature.toString('base64url')}`
  }

  signed(token: string): boolean {
    const [header, claims, signature = ''] = token.split('.')
    const text = Buffer.from(`${header}.${claims}`)
    return verify('sha256', text, this.#public, Buffer.from(signature, 'base64url'))
  }
}

/** The first two parts of a JWT. */
export function unsigned(header: Json, claims: Json): string {
  return [header, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
}

/** The claims of a JWT, unchecked. */
export function claimsIn(token: string): Json & { exp: number; sub: string; kind: string } {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
}
