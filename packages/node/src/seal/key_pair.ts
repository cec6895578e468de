import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'

import { writeWhole } from '#node/files/write_whole'

/** The P-256 key pair of a node. The private key never leaves its folder. */
export class KeyPair {
  private constructor(
    readonly privateKey: KeyObject,
    /** The PEM of the public key, in hexadecimal digits: the form in which the hub stores it. */
    readonly publicKeyText: string
  ) {}

  /** Reads the key pair from a file, or creates it. */
  static async open(file: string): Promise<KeyPair> {
    const pem = (await readIfThere(file)) ?? (await createPem(file))
    const privateKey = createPrivateKey(pem)
    const publicPem = createPublicKey(privateKey).export({ type: 'spki', format: 'pem' })
    return new KeyPair(privateKey, Buffer.from(publicPem).toString('hex'))
  }
}

/**
 * Parses a public key as the hub stores it: PEM, as text or in hexadecimal digits. Undefined if it is not a P-256 key,
 * so that an invalid key only affects its own node.
 */
export function publicKeyIn(text: string): KeyObject | undefined {
  const pem = /^[0-9a-f]+$/i.test(text) ? Buffer.from(text, 'hex').toString() : text
  try {
    const key = createPublicKey(pem)
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : undefined
  } catch {
    return undefined
  }
}

async function createPem(file: string): Promise<string> {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  await writeWhole(file, pem)
  return pem
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      return undefined
    }
    throw error
  }
}
