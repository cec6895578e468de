import { hash, timingSafeEqual } from 'node:crypto'

import { seal, unseal } from '#records/sealing'
import { clock } from '#kernel/clock'

const SECRET_BYTES = 32
const NO_DIGEST = '0'.repeat(64)

/** A secret nobody can guess, so that a fast digest of it is enough to compare with. */
export const newSecret = (): string => clock.random(SECRET_BYTES).toString('hex')

export const digestOf = (secret: string): string => hash('sha256', secret, 'hex')

/** Takes the same time whether there is a secret, and wherever the first difference is. */
export function isSecret(sent: string, digest: string | null): boolean {
  const expected = digest?.length === NO_DIGEST.length ? digest : NO_DIGEST
  const same = timingSafeEqual(Buffer.from(digestOf(sent)), Buffer.from(expected))
  return same && expected === digest
}

/** The columns of a client that keep a secret. */
export async function storedSecret(secret: string | null) {
  return {
    secret: secret === null ? null : seal('client secret', secret),
    secretDigest: secret === null ? null : digestOf(secret),
  }
}

/** The secret as it was set; null where it was encrypted with a key that is gone. */
export async function readSecret(stored: string): Promise<string | null> {
  return unseal('client secret', stored)
}
