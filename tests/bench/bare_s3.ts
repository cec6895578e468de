import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  UploadPartCommand,
  type CompletedPart,
} from '@aws-sdk/client-s3'

import { makeS3Client } from '#storage/objects/s3/s3_client'
import { bareHeader, type BarePipelines } from './bare_pipelines.js'

const PART_BYTES = 8 * 1024 ** 2
const PARTS_AT_ONCE = 4

/** Objects by the AWS SDK: parts of one size, some at once, without limits, retries of our own or a way to give up. */
export function bareS3(url: string, bucket: string): BarePipelines {
  const { origin, username, password } = new URL(url)
  const client = makeS3Client({
    endpoint: origin,
    region: 'us-east-1',
    accessKeyId: username,
    secretAccessKey: password,
    forcePathStyle: true,
  })
  const get = async (key: string) => {
    const answer = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key }))
    return { size: answer.ContentLength!, bytes: answer.Body as Readable }
  }
  return {
    async upload(source, key) {
      const object = { Bucket: bucket, Key: key }
      const { UploadId } = await client.send(new CreateMultipartUploadCommand(object))
      const parts: CompletedPart[] = []
      const underWay = new Set<Promise<void>>()
      const hash = createHash('sha256')
      let size = 0
      const send = async (bytes: Buffer) => {
        const number = parts.push({})
        const part = { ...object, UploadId, PartNumber: number, Body: bytes }
        const { ETag } = await client.send(new UploadPartCommand(part))
        parts[number - 1] = { ETag, PartNumber: number }
      }
      for await (const bytes of inParts(source)) {
        size += bytes.length
        hash.update(bytes)
        if (underWay.size >= PARTS_AT_ONCE) {
          await Promise.race(underWay)
        }
        const sending = send(bytes).finally(() => underWay.delete(sending))
        underWay.add(sending)
      }
      await Promise.all(underWay)
      const upload = { ...object, UploadId, MultipartUpload: { Parts: parts } }
      await client.send(new CompleteMultipartUploadCommand(upload))
      return { size, sha256: hash.digest('hex') }
    },
    async download(key, target) {
      const { bytes } = await get(key)
      await pipeline(bytes, target)
    },
    async *tar(keys) {
      for (const key of keys) {
        const { size, bytes } = await get(key)
        yield bareHeader(key, size)
        yield* bytes
        yield Buffer.alloc((512 - (size % 512)) % 512)
      }
      yield Buffer.alloc(1024)
    },
  }
}

async function* inParts(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of source) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes < PART_BYTES) {
      continue
    }
    yield Buffer.concat(chunks)
    chunks = []
    bytes = 0
  }
  yield Buffer.concat(chunks)
}
