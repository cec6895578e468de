import { createHash, randomBytes, randomUUID, type KeyObject } from 'node:crypto'
import type { Transform } from 'node:stream'

import { SealBroken } from '#node/errors'
import { writeHeader } from './file_header.js'
import { CHUNK_BYTES, openChunk, Pieces, sealChunk, TEXT_BYTES } from './pieces.js'
import { openBytes, sealBytes, type SealKeys } from './sealed_bytes.js'

const KEY_BYTES = 32

/** The context of a sealed file. Decryption needs exactly the same. */
export interface FileContext {
  readonly fileId: string
  readonly analysisId: string
  readonly senderId: string
  readonly recipientId: string
}

export interface FileRecipient {
  readonly nodeId: string
  readonly publicKey: KeyObject
}

/** A sealed file: read its chunks to the end, then the header that precedes them. */
export class SealedFile {
  readonly #key = randomBytes(KEY_BYTES)
  readonly #hash = createHash('sha256')
  readonly chunks: Transform = new Pieces(TEXT_BYTES, (text, index, isLast) => {
    const chunk = sealChunk(text, this.#key, positionOf(index, isLast))
    this.#hash.update(chunk)
    return chunk
  })

  /**
   * The key of the file and the digest of its chunks, encrypted for each recipient. The digest prevents a recipient,
   * who knows the key, from replacing the content in the name of the sender.
   */
  header(
    { analysisId, senderId }: Pick<FileContext, 'analysisId' | 'senderId'>,
    privateKey: KeyObject,
    recipients: readonly FileRecipient[]
  ): string {
    const fileId = randomUUID()
    const content = Buffer.concat([this.#key, this.#hash.digest()])
    const keys = recipients.map(({ nodeId: recipientId, publicKey }) => {
      const info = infoOf({ fileId, analysisId, senderId, recipientId })
      return [recipientId, sealBytes(content, { privateKey, publicKey }, info).toString('base64')]
    })
    return writeHeader({ id: fileId, from: senderId, keys: Object.fromEntries(keys) })
  }
}

/** Decrypts the chunks of a file, whose key is sealed for this node. */
export function openSealedFile(sealedKey: string, keys: SealKeys, context: FileContext): Transform {
  const broken = 'The file was not sealed by its sender for this node and this analysis'
  const content = openBytes(Buffer.from(sealedKey, 'base64'), keys, infoOf(context), broken)
  const [key, digest] = [content.subarray(0, KEY_BYTES), content.subarray(KEY_BYTES)]
  const hash = createHash('sha256')
  return new Pieces(CHUNK_BYTES, (chunk, index, isLast) => {
    const text = openChunk(chunk, key, positionOf(index, isLast))
    hash.update(chunk)
    if (isLast && !hash.digest().equals(digest)) {
      throw new SealBroken('The file has other chunks than its sender sealed')
    }
    return text
  })
}

const infoOf = ({ fileId, analysisId, senderId, recipientId }: FileContext): string =>
  ['hub-seal/2', fileId, analysisId, senderId, recipientId].join('\n')

/** The additional data of a chunk: its index in eight bytes, and whether it is the last one. */
function positionOf(index: number, isLast: boolean): Buffer {
  const position = Buffer.alloc(9)
  position.writeBigUInt64BE(BigInt(index))
  position.writeUInt8(isLast ? 1 : 0, 8)
  return position
}
