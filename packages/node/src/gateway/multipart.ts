import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { pipeline } from 'node:stream/promises'

import {
  Busboy,
  type BusboyFileStream,
  type BusboyHeaders,
  type BusboyInstance,
} from '@fastify/busboy'

import { GatewayError } from './errors.js'
import { bodyOf } from './request_body.js'

export interface ReceivedFile {
  readonly name: string
  readonly path: string
  readonly fields: Readonly<Record<string, string>>
}

const PART_LIMITS = { files: 1, fields: 10, fieldSize: 1024, parts: 12, headerPairs: 20 }
/** The maximum size of the parts other than the file. */
const MAX_OTHER_BYTES = 64 * 1024

/** Writes the part `file` of a multipart body to a path. Other parts are short texts. */
export async function receiveFile(
  request: IncomingMessage,
  path: string,
  maxBytes: number
): Promise<ReceivedFile> {
  try {
    return await parse(request, path, maxBytes)
  } catch (error) {
    await rm(path, { force: true })
    throw error
  }
}

async function parse(
  request: IncomingMessage,
  path: string,
  maxBytes: number
): Promise<ReceivedFile> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes + MAX_OTHER_BYTES) {
    throw tooLarge(maxBytes)
  }
  const parser = makeParser(request, maxBytes)
  const fields: Record<string, string> = {}
  let name: string | undefined
  let writing: Promise<void> | undefined
  parser.on('field', (field: string, value: string) => (fields[field] = value))
  parser.on('file', (field: string, stream: BusboyFileStream, fileName: string) => {
    if (field !== 'file' || writing) {
      stream.resume()
      return
    }
    name = fileName
    stream.on('limit', () => stream.destroy(tooLarge(maxBytes)))
    writing = pipeline(stream, createWriteStream(path, { flags: 'wx', mode: 0o600 }))
    writing.catch(() => {})
  })
  parser.on('partsLimit', () => parser.destroy(tooManyParts()))
  await pipeline(boundedBody(bodyOf(request), maxBytes), parser)
  await writing
  if (!writing || !name) {
    throw new GatewayError(400, 'The body has no part "file" with a file name')
  }
  return { name, path, fields }
}

function makeParser({ headers }: IncomingMessage, maxBytes: number): BusboyInstance {
  try {
    return new Busboy({
      headers: headers as BusboyHeaders,
      limits: { ...PART_LIMITS, fileSize: maxBytes },
    })
  } catch {
    throw new GatewayError(400, 'The body is not multipart/form-data')
  }
}

/** The parser skips parts beyond its limits, so the parts of a body do not bound it. */
async function* boundedBody(body: AsyncIterable<Buffer>, maxBytes: number): AsyncIterable<Buffer> {
  let length = 0
  for await (const chunk of body) {
    length += chunk.length
    if (length > maxBytes + MAX_OTHER_BYTES) {
      throw tooLarge(maxBytes)
    }
    yield chunk
  }
}

const tooManyParts = () =>
  new GatewayError(400, `The body has more than ${PART_LIMITS.parts} parts`)

const tooLarge = (maxBytes: number) =>
  new GatewayError(413, `The file has more than ${maxBytes} bytes, which the node allows`)
