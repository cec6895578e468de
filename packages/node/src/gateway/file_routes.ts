import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

import type { LocalFile, LocalFiles } from '#node/transfers/local_files'
import { addNoiseTo } from '#node/transfers/noisy_result'
import type { ResultFiles } from '#node/transfers/result_files'
import type { SealedFiles } from '#node/transfers/sealed_files'
import { answerEmpty, answerJson } from './answer.js'
import { receiveFile, type ReceivedFile } from './multipart.js'
import type { GatewayRequest, Router } from './router.js'
import { TaskLimit } from './task_limit.js'

/** The maximum number of concurrent transfers of one analysis, which bounds their space on disk. */
const MAX_UPLOADS = 2

export interface FileRouteOptions {
  /** A folder for files in transfer. */
  readonly folder: string
  readonly maxBytes: number
  readonly results: ResultFiles
  readonly intermediate: SealedFiles
  readonly local: LocalFiles
}

/** Results, intermediate files, and files that stay at the node. */
export function addFileRoutes(router: Router, options: FileRouteOptions): void {
  const { results, intermediate, local } = options
  const uploads = new TaskLimit(MAX_UPLOADS)
  const received = <T>({ request }: GatewayRequest, use: (file: ReceivedFile) => Promise<T>) =>
    uploads.run(() => withReceivedFile(options, request, use))

  router
    .add('node', 'PUT', '/storage/final', async (request) => {
      await received(request, ({ name, path }) => results.upload(name, path))
      answerEmpty(request.response, 204)
    })
    .add('node', 'PUT', '/storage/final/localdp', async (request) => {
      await received(request, async ({ name, path, fields }) => {
        await addNoiseTo(path, fields)
        await results.upload(name, path)
      })
      answerEmpty(request.response, 204)
    })
    .add('node', 'PUT', '/storage/intermediate', async (request) => {
      const id = await received(request, ({ path, fields }) =>
        intermediate.upload(path, fields.remote_node_id || undefined)
      )
      answerJson(request.response, 201, {
        url: urlOf(request, `/storage/intermediate/${id}`),
        object_id: id,
      })
    })
    .add('node', 'GET', '/storage/intermediate/:id', async ({ params, query, response }) => {
      const sender = query.get('remote_node_id') ?? undefined
      await sendBytes(response, await intermediate.download(params.id!, sender))
    })
    .add('node', 'PUT', '/storage/local', async (request) => {
      const file = await received(request, ({ path, fields }) =>
        local.add(path, fields.tag || undefined)
      )
      answerJson(request.response, 201, shown(request, file))
    })
    .add('node', 'GET', '/storage/local/tags', async (request) => {
      const filter = request.query.get('filter') ?? ''
      const files = await local.tagged()
      const names = new Set(files.map(({ tag }) => tag).filter((tag) => tag.includes(filter)))
      const tags = [...names].map((name) => ({
        name,
        url: urlOf(request, `/storage/local/tags/${name}`),
      }))
      // The published SDK reads `tags`, the modules in images of this platform `results`.
      answerJson(request.response, 200, { tags, results: tags })
    })
    .add('node', 'GET', '/storage/local/tags/:tag', async (request) => {
      const files = await local.tagged()
      const tagged = files.filter(({ tag }) => tag === request.params.tag)
      answerJson(request.response, 200, { results: tagged.map((file) => shown(request, file)) })
    })
    .add('node', 'GET', '/storage/local/:id', async ({ params, response }) => {
      await sendBytes(response, createReadStream(await local.find(params.id!)))
    })
}

async function withReceivedFile<T>(
  { folder, maxBytes }: FileRouteOptions,
  request: GatewayRequest['request'],
  use: (file: ReceivedFile) => Promise<T>
): Promise<T> {
  const path = join(folder, randomUUID())
  try {
    return await use(await receiveFile(request, path, maxBytes))
  } finally {
    await rm(path, { force: true })
  }
}

function shown(request: GatewayRequest, { id, tag, createdAt }: LocalFile) {
  return { url: urlOf(request, `/storage/local/${id}`), object_id: id, tag, created_at: createdAt }
}

const urlOf = ({ request }: GatewayRequest, path: string) =>
  `http://${request.headers.host ?? 'localhost'}${path}`

async function sendBytes(response: GatewayRequest['response'], bytes: Readable): Promise<void> {
  response.setHeader('content-type', 'application/octet-stream')
  await pipeline(bytes, response)
}
