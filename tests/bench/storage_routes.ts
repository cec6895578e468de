import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

import type { BarePipelines } from '#tests/bench/bare_pipelines'
import { exactly } from '#storage/exactly'
import type { ObjectStore } from '#storage/objects/object_store'
import { tarStream } from '#storage/tar/tar_stream'
import { storeUpload } from '#storage/uploads/store_upload'

export const CONTAINER = 'benchmark'
export const SMALL_FILES = 1_000
export const SMALL_BYTES = 4_096

/** What the platform's records would say. */
const sizes = new Map<string, number>()

type Route = (request: IncomingMessage, response: ServerResponse, key: string) => Promise<void>

/** `PUT` and `GET /<who>/<key>`, `GET /<who>.tar`: the platform's pipelines and the bare ones on one store. */
export async function serve(port: number): Promise<void> {
  const { store, bare } = await openStore()
  await store.makeContainer(CONTAINER)
  for (let n = 0; n < SMALL_FILES; n++) {
    await store.put({ container: CONTAINER, key: smallKey(n) }, content(n))
  }
  const routes: Record<string, Route> = { ...platformRoutes(store), ...bareRoutes(bare) }
  const server = createServer(async (request, response) => {
    const [, who = '', key = ''] = request.url!.split('/')
    try {
      await routes[`${request.method} ${who}`]!(request, response, key)
    } catch (error) {
      response.destroy(error as Error)
      console.error(error)
    }
  })
  await once(server.listen(port, '127.0.0.1'), 'listening')
}

function platformRoutes(store: ObjectStore): Record<string, Route> {
  const address = (key: string) => ({ container: CONTAINER, key })
  async function* entries() {
    for (let n = 0; n < SMALL_FILES; n++) {
      const open = () => store.read(address(smallKey(n)))
      yield { path: smallKey(n), size: SMALL_BYTES, modifiedAt: new Date(0), open }
    }
  }
  return {
    'PUT platform': async (request, response, key) => {
      const expectedBytes = Number(request.headers['content-length'])
      const options = { maxBytes: 0, expectedBytes }
      const stored = await storeUpload(store, address(key), request, options)
      sizes.set(key, stored.size)
      response.end(JSON.stringify(stored))
    },
    'GET platform': async (_request, response, key) => {
      const bytes = await store.read(address(key))
      await pipeline(exactly(sizes.get(key) ?? 0, bytes), response)
    },
    'DELETE platform': async (_request, response, key) => {
      await store.delete(address(key))
      response.end()
    },
    'GET platform.tar': (_request, response) => pipeline(tarStream(entries()), response),
  }
}

function bareRoutes(bare: BarePipelines): Record<string, Route> {
  return {
    'PUT bare': async (request, response, key) => {
      const stored = await bare.upload(request, key)
      sizes.set(key, stored.size)
      response.end(JSON.stringify(stored))
    },
    'GET bare': (_request, response, key) => bare.download(key, response),
    'GET bare.tar': (_request, response) => {
      const keys = Array.from({ length: SMALL_FILES }, (_, n) => smallKey(n))
      return pipeline(Readable.from(bare.tar(keys)), response)
    },
  }
}

async function openStore(): Promise<{ store: ObjectStore; bare: BarePipelines }> {
  const { BENCH_FOLDER, BENCH_S3_URL } = process.env
  if (BENCH_S3_URL) {
    const { s3StoreAt } = await import('#tests/helpers/s3_store')
    const { bareS3 } = await import('#tests/bench/bare_s3')
    return { store: s3StoreAt(BENCH_S3_URL), bare: bareS3(BENCH_S3_URL, CONTAINER) }
  }
  const { FsObjectStore } = await import('#storage/objects/fs/fs_object_store')
  const { bareFs } = await import('#tests/bench/bare_fs')
  return { store: new FsObjectStore(BENCH_FOLDER!), bare: bareFs(`${BENCH_FOLDER}/${CONTAINER}`) }
}

function smallKey(n: number): string {
  return `small-${String(n).padStart(4, '0')}`
}

async function* content(n: number) {
  yield Buffer.alloc(SMALL_BYTES, n)
}
