import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

import type { BarePipelines } from './bare_pipelines.js'

const CONTAINER = 'benchmark'

type Route = (request: IncomingMessage, response: ServerResponse, key: string) => Promise<void>

/** `PUT` and `GET /files/<key>`, and `POST /tar` of the keys that are sent. */
export async function serve(port: number): Promise<void> {
  const bare = await openPipelines()
  const routes: Record<string, Route> = {
    'PUT files': async (request, response, key) => {
      response.end(JSON.stringify(await bare.upload(request, key)))
    },
    'GET files': (_request, response, key) => bare.download(key, response),
    'POST tar': async (request, response) => {
      const keys = (await buffer(request)).toString().split(',')
      await pipeline(Readable.from(bare.tar(keys)), response)
    },
  }
  const server = createServer(async (request, response) => {
    const [, what = '', key = ''] = request.url!.split('/')
    try {
      await routes[`${request.method} ${what}`]!(request, response, key)
    } catch (error) {
      response.destroy(error as Error)
      console.error(error)
    }
  })
  await once(server.listen(port, '127.0.0.1'), 'listening')
}

async function openPipelines(): Promise<BarePipelines> {
  const { BENCH_FOLDER, BENCH_S3_URL } = process.env
  if (BENCH_S3_URL) {
    const { s3StoreAt } = await import('#tests/helpers/storage/s3_store')
    const { bareS3 } = await import('./bare_s3.js')
    await s3StoreAt(BENCH_S3_URL).makeContainer(CONTAINER)
    return bareS3(BENCH_S3_URL, CONTAINER)
  }
  const { bareFs } = await import('./bare_fs.js')
  const folder = `${BENCH_FOLDER}/${CONTAINER}`
  await mkdir(folder, { recursive: true })
  return bareFs(folder)
}
