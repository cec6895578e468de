import { hash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { fixedToken } from '#client/credentials'
import { Platform } from '#worker/platform/platform'

type Fields = Record<string, any>

/** Serves the records of one analysis over HTTP. */
export class StandInPlatform {
  analysis: Fields = {}
  analysisNodes: Fields[] = []
  nodes: Fields[] = []
  registries: Fields[] = []
  registryProjects: Fields[] = []
  /** The response of the content endpoint. Without it, the endpoint does not exist, as on older platforms. */
  content: (() => Fields) | undefined
  /** The code of the analysis with its content digest. */
  code: (() => Fields) | undefined
  /** Files in storage by ID. */
  readonly stored = new Map<string, { path: string; bytes: Buffer }>()
  /** PEM keys; empty if the platform does not sign images. */
  imageKeys: readonly string[] = []
  /** The response of the build registry endpoint. Without it, the endpoint does not exist. */
  buildRegistry: (() => Fields) | undefined
  workerAccount: ((registryId: string) => Fields) | undefined
  masterAccount: ((registryId: string) => Fields) | undefined
  readonly asked: string[] = []
  readonly #server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://platform')
    this.asked.push(pathname)
    const file = this.#fileAt(pathname)
    if (file) {
      return void response.end(file.bytes)
    }
    const content = this.#answer(pathname, searchParams.get('filter') ?? '')
    response.writeHead(content ? 200 : 404, { 'content-type': 'application/json' })
    response.end(JSON.stringify(content ?? { code: 'entity_not_found' }))
  })

  static async start(): Promise<StandInPlatform> {
    const platform = new StandInPlatform()
    platform.#server.listen(0, '127.0.0.1')
    await once(platform.#server, 'listening')
    return platform
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  client(signal: AbortSignal): Platform {
    const url = () => `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
    return new Platform({
      core: { name: 'Core', url },
      storage: { name: 'Storage', url },
      credentials: fixedToken('a-token'),
      retryForMs: 1_000,
      signal,
    })
  }

  #accountOf(registryId: string, path: string): Fields | undefined {
    return path === 'worker/master-credentials'
      ? this.masterAccount?.(registryId)
      : this.workerAccount?.(registryId)
  }

  #fileAt(path: string) {
    const [, collection, id, below] = path.split('/')
    return collection === 'bucket-files' && below === 'stream' ? this.stored.get(id!) : undefined
  }

  #storedFiles(): Fields {
    const files = [...this.stored].map(([id, { path, bytes }]) => ({
      id,
      path,
      size: bytes.length,
      sha256: hash('sha256', bytes),
    }))
    return { data: { total: files.length, files }, meta: {} }
  }

  #contentOf(below: string): Fields | undefined {
    switch (below) {
      case 'content':
        return wrapped(this.content?.())
      case 'code':
        return wrapped(this.code?.())
      case 'build-registry':
        return wrapped(this.buildRegistry?.())
      default:
        return undefined
    }
  }

  #answer(path: string, filter: string): object | undefined {
    const [, collection, id, ...below] = path.split('/')
    switch (collection) {
      case 'analyses':
        return below[0] === undefined ? wrapped(this.analysis) : this.#contentOf(below[0])
      case 'image-keys':
        return this.imageKeys.length > 0
          ? { data: this.imageKeys.map((publicKey) => ({ publicKey })), meta: {} }
          : undefined
      case 'buckets':
        return below[0] === 'files' ? this.#storedFiles() : undefined
      case 'analysis-nodes':
        return listed(this.analysisNodes)
      case 'nodes':
        return listed(this.nodes)
      case 'registry-projects':
        return listed(this.registryProjects.filter(({ registryId }) => filter.includes(registryId)))
      case 'registries':
        return below.length > 0
          ? this.#accountOf(id!, below.join('/'))
          : id === undefined
            ? listed(this.registries)
            : wrapped(this.registries.find((registry) => registry.id === id))
      default:
        return undefined
    }
  }
}

const wrapped = (data: Fields | undefined) => data && { data, meta: {} }
const listed = (data: Fields[]) => ({ data, meta: { total: data.length } })
