import { hash, timingSafeEqual } from 'node:crypto'

import { seal, unseal } from '#records/sealing'
import { clock } from '#kernel/clock'

const SECRET_BYTES = 32
const NO_DIGEST = '0'.repeat(64)

/** A random secret. It has enough entropy for a fast digest. */
export const newSecret = (): string => clock.random(SECRET_BYTES).toString('hex')

/** The least length of 32 random bytes as text, and characters that any such text has. */
const GENERATED = { minLength: 43, minCharacters: 10 }

/** Whether a sealed secret is as long and varied as generated ones, so that it cannot be guessed. */
export function isUnguessable(sealed: string | null): boolean {
  const secret = unseal('client secret', sealed)
  return (
    secret !== null &&
    secret.length >= GENERATED.minLength &&
    new Set(secret).size >= GENERATED.minCharacters
  )
}

export const digestOf = (secret: string): string => hash('sha256', secret, 'hex')

/** Compares in constant time, with or without a stored secret. */
export function isSecret(sent: string, digest: string | null): boolean {
  const expected = digest?.length === NO_DIGEST.length ? digest : NO_DIGEST
  const same = timingSafeEqual(Buffer.from(digestOf(sent)), Buffer.from(expected))
  return same && expected === digest
}

/** The secret columns of a client. */
export async function storedSecret(secret: string | null) {
  return {
    secret: secret === null ? null : seal('client secret', secret),
    secretDigest: secret === null ? null : digestOf(secret),
  }
}

/** The secret in plain text; null if its encryption key is lost. */
export async function readSecret(stored: string): Promise<string | null> {
  return unseal('client secret', stored)
}
