import type { LookupAddress } from 'node:dns'
import {
  Agent as ClearAgent,
  request as requestInClear,
  type ClientRequest,
  type IncomingMessage,
} from 'node:http'
import { Agent as SecureAgent, request as requestSecurely } from 'node:https'
import { isIP, type LookupFunction, type Socket } from 'node:net'

import { markReleasable, releaseChunk } from '#kernel/chunk_memory'
import { RegistryUnavailable } from '#oci/errors'
import type { UploadRequest, Uploader } from '#oci/uploads/uploader'

const SOCKETS = { keepAlive: true, maxSockets: 16, scheduling: 'lifo' } as const

/** What may be asked at all, for whom a registry could lead into a network that is not meant for it. */
export interface OutboundGuard {
  /** Throws where nothing may be asked; what a registry names is looked at as well. */
  requireAllowed(url: URL): void
  /** Finds the addresses of the host of a URL, and fails where one of them may not be connected to. */
  lookupFor(url: URL): LookupFunction
}

export interface HttpRequest {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Uint8Array
  /** How long the other side may be silent. */
  readonly idleMs: number
  readonly signal?: AbortSignal
  /** What it is a part of, where that is to be noted. */
  readonly upload?: Pick<UploadRequest, 'note' | 'begun'>
}

/** The connections to one registry, and to where it sends us. */
export class Connections {
  readonly #http = new ClearAgent(SOCKETS)
  readonly #https: SecureAgent
  readonly #guard: OutboundGuard | undefined
  readonly #uploader: Uploader | undefined
  readonly #isVerified: boolean

  constructor(isCertificateVerified: boolean, guard?: OutboundGuard, uploader?: Uploader) {
    this.#guard = guard
    this.#uploader = uploader
    this.#isVerified = isCertificateVerified
    this.#https = new SecureAgent({ ...SOCKETS, rejectUnauthorized: isCertificateVerified })
  }

  /** One request and the head of its answer. Nothing is followed, and no cookie is kept. */
  async send(request: HttpRequest): Promise<IncomingMessage> {
    const { method, url, headers, body, idleMs, signal, upload } = request
    this.#guard?.requireAllowed(url)
    if (this.#uploader && upload) {
      const isVerified = this.#isVerified
      const addresses = this.#guard && (await addressesOf(url, this.#guard))
      const outgoing = { method, url: url.href, headers, idleMs, isVerified, addresses, ...upload }
      return this.#uploader.send(outgoing, body, signal)
    }
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    const length = body ? body.byteLength : hasBody(method) ? 0 : undefined
    const isSecure = url.protocol === 'https:'
    const outgoing = (isSecure ? requestSecurely : requestInClear)(url, {
      method,
      headers: { ...headers, ...(length !== undefined && { 'content-length': length }) },
      agent: isSecure ? this.#https : this.#http,
      ...(this.#guard && { lookup: this.#guard.lookupFor(url) }),
      signal,
    })
    outgoing.setTimeout(idleMs, () => {
      outgoing.destroy(new RegistryUnavailable(`${url.host} was silent for ${idleMs} ms`))
    })
    // Heard for as long as the request lives: an answer may come while the body is still sent, and break that off.
    outgoing.on('error', reject)
    outgoing.on('socket', (socket) => releaseReadBuffers(outgoing, socket))
    outgoing.on('response', (response) => {
      outgoing.setTimeout(0)
      resolve(response)
    })
    outgoing.end(body)
    return promise
  }

  close(): void {
    this.#http.destroy()
    this.#https.destroy()
  }
}

/** What is looked at is what is connected to, also by another program; undefined where the URL itself names an address. */
async function addressesOf(url: URL, guard: OutboundGuard): Promise<LookupAddress[] | undefined> {
  const { hostname } = url
  if (isIP(hostname.replace(/^\[|\]$/g, ''))) {
    return undefined
  }
  const { promise, resolve, reject } = Promise.withResolvers<LookupAddress[]>()
  guard.lookupFor(url)(hostname, { all: true }, (error, addresses) =>
    error ? reject(error) : resolve(addresses as LookupAddress[])
  )
  return promise
}

/**
 * What a socket reads is copied into the pieces of an answer, and would wait for the collector. The client hears of it first, since it listens from the beginning
 * of its request on: who listened for longer would empty what the next one has not read.
 */
function releaseReadBuffers(outgoing: ClientRequest, socket: Socket): void {
  const release = (read: Buffer) => releaseChunk(markReleasable(read))
  socket.on('data', release)
  outgoing.on('close', () => socket.off('data', release))
}

const hasBody = (method: string): boolean => ['POST', 'PUT', 'PATCH'].includes(method)
