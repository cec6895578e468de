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

/** What a sealed text belongs to. It opens for the same message of the same analysis only. */
export interface SealContext {
  readonly messageId: string
  readonly analysisId: string
}

/** Encrypts a text for one recipient: base64 of salt, initialization vector, ciphertext and tag. */
export function sealMessage(text: string, keys: SealKeys, context: SealContext): string {
  const salt = randomBytes(SALT_BYTES)
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv(ALGORITHM, keyFor(keys, salt, context), iv)
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
  return Buffer.concat([salt, iv, sealed]).toString('base64')
}

/** Decrypts a text that the other side sealed for this one. */
export function openMessage(sealed: string, keys: SealKeys, context: SealContext): string {
  const bytes = Buffer.from(sealed, 'base64')
  const start = SALT_BYTES + IV_BYTES
  if (bytes.length < start + TAG_BYTES) {
    throw new SealBroken('The message is too short to be sealed')
  }
  const key = keyFor(keys, bytes.subarray(0, SALT_BYTES), context)
  const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(SALT_BYTES, start), {
    authTagLength: TAG_BYTES,
  })
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
  try {
    return (
      decipher.update(bytes.subarray(start, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
    )
  } catch (error) {
    throw new SealBroken('The message was not sealed by its sender for this node', error)
  }
}

function keyFor(keys: SealKeys, salt: Buffer, { messageId, analysisId }: SealContext): Buffer {
  const info = messageId + analysisId
  return Buffer.from(hkdfSync('sha256', diffieHellman(keys), salt, info, 32))
}
