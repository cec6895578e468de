import type { Readable } from 'node:stream'

import { tryParseJson } from '#kernel/try_parse_json'
import { SealBroken } from '#node/errors'

const MAGIC = 'hub-seal/2\n'
const MAX_BYTES = 1024 ** 2

/** The header of a sealed file: its sender, and the key of the file, encrypted for each recipient. */
export interface FileHeader {
  readonly id: string
  readonly from: string
  readonly keys: Readonly<Record<string, string>>
}

export const writeHeader = (header: FileHeader): string => `${MAGIC}${JSON.stringify(header)}\n`

/** Reads the header from a stream. Undefined if the file has none; then the stream still has all of its bytes. */
export async function readHeader(bytes: Readable): Promise<FileHeader | undefined> {
  let text = Buffer.alloc(0)
  for (;;) {
    const end = text.indexOf('\n', MAGIC.length)
    if (!beginsAsMagic(text)) {
      bytes.unshift(text)
      return undefined
    }
    if (end >= 0) {
      bytes.unshift(text.subarray(end + 1))
      return headerIn(text.toString('utf8', MAGIC.length, end))
    }
    const chunk = text.length < MAX_BYTES ? await nextChunk(bytes) : undefined
    if (!chunk && text.length === 0) {
      return undefined
    }
    if (!chunk) {
      throw new SealBroken('The header of the file has no end')
    }
    text = Buffer.concat([text, chunk])
  }
}

function beginsAsMagic(text: Buffer): boolean {
  const length = Math.min(text.length, MAGIC.length)
  return text.toString('latin1', 0, length) === MAGIC.slice(0, length)
}

function headerIn(text: string): FileHeader {
  const { id, from, keys } = (tryParseJson(text) ?? {}) as Partial<FileHeader>
  const isHeader =
    typeof id === 'string' &&
    typeof from === 'string' &&
    typeof keys === 'object' &&
    keys !== null &&
    Object.values(keys).every((key) => typeof key === 'string')
  if (!isHeader) {
    throw new SealBroken('The header of the file is damaged')
  }
  return { id, from, keys }
}

async function nextChunk(bytes: Readable): Promise<Buffer | undefined> {
  const chunk = bytes.read() as Buffer | null
  if (chunk || bytes.readableEnded) {
    return chunk ?? undefined
  }
  return new Promise((resolve, reject) => {
    const settle = (error?: Error) => {
      bytes.off('readable', settle).off('end', settle).off('error', settle)
      if (error) {
        reject(error)
      } else {
        resolve((bytes.read() as Buffer | null) ?? undefined)
      }
    }
    bytes.once('readable', settle).once('end', settle).once('error', settle)
  })
}
