import { openBytes, sealBytes, type SealKeys } from './sealed_bytes.js'

/** The context of a sealed text. Decryption needs the same message of the same analysis. */
export interface SealContext {
  readonly messageId: string
  readonly analysisId: string
}

/** Encrypts a text for one recipient: base64 of salt, initialization vector, ciphertext and tag. */
export function sealMessage(text: string, keys: SealKeys, context: SealContext): string {
  return sealBytes(Buffer.from(text), keys, infoOf(context)).toString('base64')
}

/** Decrypts a text that the other side sealed for this one. */
export function openMessage(sealed: string, keys: SealKeys, context: SealContext): string {
  const broken = 'The message was not sealed by its sender for this node'
  return openBytes(Buffer.from(sealed, 'base64'), keys, infoOf(context), broken).toString('utf8')
}

const infoOf = ({ messageId, analysisId }: SealContext): string => messageId + analysisId
