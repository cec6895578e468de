import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'

import { bareHeader, type BarePipelines } from './bare_pipelines.js'

/** Files by the streams of Node.js; what was uploaded is on the disk before it is answered, as it is by the platform. */
export function bareFs(folder: string): BarePipelines {
  const path = (key: string) => join(folder, key)
  return {
    async upload(source, key) {
      const hash = createHash('sha256')
      let size = 0
      async function* digested(chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          size += chunk.length
          hash.update(chunk)
          yield chunk
        }
      }
      await pipeline(source, digested, createWriteStream(path(key), { flush: true }))
      return { size, sha256: hash.digest('hex') }
    },
    download: (key, target) => pipeline(createReadStream(path(key)), target),
    async *tar(keys) {
      for (const key of keys) {
        const { size } = await stat(path(key))
        yield bareHeader(key, size)
        yield* createReadStream(path(key))
        yield Buffer.alloc((512 - (size % 512)) % 512)
      }
      yield Buffer.alloc(1024)
    },
  }
}
