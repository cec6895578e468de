import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'

/** Identifies the application key of a backup without containing it. */
export interface KeyMark {
  readonly salt: string
  readonly fingerprint: string
}

export function newKeyMark(key: string): KeyMark {
  const salt = randomBytes(16).toString('hex')
  return { salt, fingerprint: deriveKey(key, salt, 'backup fingerprint').toString('hex') }
}

export function isMarkOf(key: string, { salt, fingerprint }: KeyMark): boolean {
  return isSame(deriveKey(key, salt, 'backup fingerprint').toString('hex'), fingerprint)
}

/** Signs a text with a key derived from the application key. */
export function signatureOf(key: string, { salt }: KeyMark, text: string): string {
  return createHmac('sha256', deriveKey(key, salt, 'backup manifest'))
    .update(text)
    .digest('hex')
}

export function isSame(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}

function deriveKey(key: string, salt: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, salt, purpose, 32))
}
