import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

import { digestOf } from '#oci/verified_bytes'
import { Sessions } from './sessions.js'
import { RepositoryContent } from './repository_content.js'
import { TokenService } from './token_service.js'

export interface Exchange {
  readonly method: string
  readonly path: string
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Has it go on as if nobody had come between. */
  readonly serve: () => Promise<void>
}

/** Comes between a request and its answer; true where it has dealt with it. */
export type Interference = (exchange: Exchange) => boolean | Promise<boolean>

export interface Noted {
  readonly method: string
  readonly path: string
  readonly authorization: string | undefined
}

const TAGS_A_PAGE = 2

/**
 * A registry that behaves as Harbor does where docker-registry does not: it wants tokens with scopes, both for a mount, says
 * addresses relatively, knows only the projects it was given, and lists referrers. Or it behaves as badly as a test wants.
 */
export class RegistryServer {
  readonly tokens = new TokenService()
  readonly sessions = new Sessions()
  readonly shelves = new Map<string, RepositoryContent>()
  readonly projects = new Set(['suite', 'master', 'incoming'])
  readonly noted: Noted[] = []
  interference: Interference | undefined
  readonly #server = createServer((request, response) => void this.#take(request, response))

  static async start(): Promise<RegistryServer> {
    const registry = new RegistryServer()
    registry.#server.listen(0, '127.0.0.1')
    await once(registry.#server, 'listening')
    return registry
  }

  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  get access() {
    return { host: this.host, ...this.tokens.account }
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  contentOf(repository: string): RepositoryContent {
    const contentOf = this.shelves.get(repository) ?? new RepositoryContent()
    this.shelves.set(repository, contentOf)
    return contentOf
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url!, 'http://registry')
    const method = request.method!
    const { authorization } = request.headers
    this.noted.push({ method, path: request.url!, authorization })
    const serve = () => this.#serve(request, response)
    const exchange = { method, path: pathname, request, response, serve }
    if (!(await this.interference?.(exchange))) {
      await serve()
    }
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url!, 'http://registry')
    if (url.pathname === '/service/token') {
      return this.tokens.answer(request, response)
    }
    const [, repository, kind, rest = ''] =
      /^\/v2\/(.+?)\/(manifests|blobs|tags|referrers)\/(.*)$/.exec(url.pathname) ?? []
    if (repository === undefined) {
      return fail(response, 404, 'NOT_FOUND')
    }
    if (!this.tokens.allows(request, neededFor(request.method!, repository, url.searchParams))) {
      return this.#challenge(response, repository)
    }
    if (!this.projects.has(repository.split('/')[0]!)) {
      return fail(response, 401, 'UNAUTHORIZED', 'project not found')
    }
    const exchange = { request, response, url, repository, rest, shelf: this.contentOf(repository) }
    switch (kind) {
      case 'manifests':
        return serveManifest(exchange)
      case 'tags':
        return serveTags(exchange)
      case 'referrers':
        return send(response, 200, JSON.stringify(indexOf(exchange.shelf.about(rest))))
      default:
        return rest.startsWith('uploads/') ? this.#upload(exchange) : serveBlob(exchange)
    }
  }

  #challenge(response: ServerResponse, repository: string): void {
    const realm = `http://${this.host}/service/token`
    const scope = `repository:${repository}:pull`
    response.setHeader(
      'www-authenticate',
      `Bearer realm="${realm}",service="harbor-registry",scope="${scope}"`
    )
    fail(response, 401, 'UNAUTHORIZED')
  }

  async #upload({
    request,
    response,
    url,
    repository,
    rest,
    shelf: contentOf,
  }: RegistryExchange): Promise<void> {
    const id = rest.slice('uploads/'.length)
    if (request.method === 'POST') {
      return this.#begin(response, url, repository, contentOf)
    }
    const session = this.sessions.find(id, url.searchParams.get('_state'))
    if (!session) {
      return fail(response, 404, 'BLOB_UPLOAD_UNKNOWN')
    }
    if (request.method === 'DELETE') {
      this.sessions.all.delete(id)
      return send(response, 204)
    }
    const before = session.bytes.length
    const isWhole = request.method === 'GET' || (await this.sessions.take(session, request))
    if (!isWhole) {
      return
    }
    // As zot: what closes an upload of several parts is one of them only where it says which.
    if (request.method === 'PUT' && before > 0 && session.bytes.length > before) {
      return fail(response, 416, 'BLOB_UPLOAD_INVALID')
    }
    if (request.method === 'PUT') {
      const digest = digestOf(session.bytes)
      this.sessions.all.delete(id)
      if (digest !== url.searchParams.get('digest')) {
        return fail(response, 400, 'DIGEST_INVALID')
      }
      contentOf.blobs.set(digest, session.bytes)
      response.setHeader('docker-content-digest', digest)
      return send(response, 201)
    }
    session.state += request.method === 'PATCH' ? 1 : 0
    response.setHeader('location', this.sessions.addressOf(id))
    response.setHeader('range', `0-${session.bytes.length - 1}`)
    send(response, request.method === 'PATCH' ? 202 : 204)
  }

  #begin(
    response: ServerResponse,
    { searchParams }: URL,
    repository: string,
    contentOf: RepositoryContent
  ): void {
    const digest = searchParams.get('mount')
    const blob = this.shelves.get(searchParams.get('from') ?? '')?.blobs.get(digest ?? '')
    if (blob) {
      contentOf.blobs.set(digest!, blob)
      return send(response, 201)
    }
    response.setHeader('location', this.sessions.addressOf(this.sessions.begin(repository)))
    send(response, 202)
  }
}

interface RegistryExchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly url: URL
  readonly repository: string
  readonly rest: string
  readonly shelf: RepositoryContent
}

function neededFor(method: string, repository: string, search: URLSearchParams): string[] {
  const from = search.get('from')
  if (method === 'GET' || method === 'HEAD') {
    return search.has('_state') ? [`${repository}:push`] : [`${repository}:pull`]
  }
  return [
    `${repository}:${method === 'DELETE' ? 'delete' : 'push'}`,
    ...(from === null ? [] : [`${from}:pull`]),
  ]
}

async function serveManifest({
  request,
  response,
  rest,
  shelf: contentOf,
}: RegistryExchange): Promise<void> {
  if (request.method === 'PUT') {
    const bytes = await buffer(request)
    const manifest = JSON.parse(bytes.toString())
    const type = request.headers['content-type']!
    if (manifest.mediaType !== undefined && manifest.mediaType !== type) {
      return fail(response, 400, 'MANIFEST_INVALID')
    }
    if (!contentOf.hasPartsOf(manifest)) {
      return fail(response, 400, 'MANIFEST_BLOB_UNKNOWN')
    }
    response.setHeader('docker-content-digest', contentOf.keep(type, bytes, rest))
    if (manifest.subject) {
      response.setHeader('oci-subject', manifest.subject.digest)
    }
    return send(response, 201)
  }
  if (request.method === 'DELETE') {
    return contentOf.remove(rest) ? send(response, 202) : fail(response, 404, 'MANIFEST_UNKNOWN')
  }
  const found = contentOf.find(rest)
  if (!found || !request.headers.accept?.includes(found.manifest.type)) {
    return fail(response, 404, 'MANIFEST_UNKNOWN')
  }
  response.setHeader('docker-content-digest', found.digest)
  response.setHeader('content-type', found.manifest.type)
  send(response, 200, found.manifest.bytes)
}

function serveBlob({ request, response, rest, shelf: contentOf }: RegistryExchange): void {
  const blob = contentOf.blobs.get(rest)
  if (!blob) {
    return fail(response, 404, 'BLOB_UNKNOWN')
  }
  const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0)
  if (from > 0) {
    response.setHeader('content-range', `bytes ${from}-${blob.length - 1}/${blob.length}`)
  }
  response.setHeader('content-type', 'application/octet-stream')
  send(response, from > 0 ? 206 : 200, request.method === 'HEAD' ? '' : blob.subarray(from))
}

function serveTags({ response, url, repository, shelf: contentOf }: RegistryExchange): void {
  if (contentOf.tags.size === 0) {
    return fail(response, 404, 'NAME_UNKNOWN')
  }
  const all = [...contentOf.tags.keys()].sort()
  const last = url.searchParams.get('last')
  const start = last === null ? 0 : all.indexOf(last) + 1
  const tags = all.slice(start, start + TAGS_A_PAGE)
  if (start + TAGS_A_PAGE < all.length) {
    response.setHeader('link', `</v2/${repository}/tags/list?last=${tags.at(-1)}>; rel="next"`)
  }
  send(response, 200, JSON.stringify({ name: repository, tags }))
}

const indexOf = (manifests: object[]) => ({
  schemaVersion: 2,
  mediaType: 'application/vnd.oci.image.index.v1+json',
  manifests,
})

export function fail(response: ServerResponse, status: number, code: string, message = code): void {
  response.setHeader('content-type', 'application/json; charset=utf-8')
  send(response, status, JSON.stringify({ errors: [{ code, message }] }))
}

export function send(response: ServerResponse, status: number, body: string | Buffer = ''): void {
  response.statusCode = status
  response.end(body)
}
