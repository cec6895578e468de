import {
  createCipheriv,
  createDecipheriv,
  diffieHellman,
  hkdfSync,
  randomBytes,
  type KeyObject,
} from 'node:crypto'

import { SealBroken } from '#node/errors'

const SALT_BYTES = 32
const IV_BYTES = 12
const TAG_BYTES = 16
const ALGORITHM = 'aes-256-gcm'

export interface SealKeys {
  readonly privateKey: KeyObject
  /** The public key of the other side. */
  readonly publicKey: KeyObject
}

/**
 * Encrypts a few bytes for one recipient: salt, initialization vector, ciphertext and tag. Decryption needs the same
 * `info`.
 */
export function sealBytes(bytes: Buffer, keys: SealKeys, info: string): Buffer {
  const salt = randomBytes(SALT_BYTES)
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv(ALGORITHM, keyFor(keys, salt, info), iv)
  return Buffer.concat([salt, iv, cipher.update(bytes), cipher.final(), cipher.getAuthTag()])
}

/** Decrypts bytes that the other side sealed for this one. `broken` is the message of a failure. */
export function openBytes(sealed: Buffer, keys: SealKeys, info: string, broken: string): Buffer {
  const start = SALT_BYTES + IV_BYTES
  if (sealed.length < start + TAG_BYTES) {
    throw new SealBroken(`${broken}: it is too short to be sealed`)
  }
  const key = keyFor(keys, sealed.subarray(0, SALT_BYTES), info)
  const decipher = createDecipheriv(ALGORITHM, key, sealed.subarray(SALT_BYTES, start), {
    authTagLength: TAG_BYTES,
  })
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES))
  try {
    return Buffer.concat([decipher.update(sealed.subarray(start, -TAG_BYTES)), decipher.final()])
  } catch (error) {
    throw new SealBroken(broken, error)
  }
}

function keyFor(keys: SealKeys, salt: Buffer, info: string): Buffer {
  return Buffer.from(hkdfSync('sha256', diffieHellman(keys), salt, info, 32))
}
