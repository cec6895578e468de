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
import { requestStep, type RequestTracing } from './request_step.js'

const SOCKETS = { keepAlive: true, maxSockets: 16, scheduling: 'lifo' } as const

/** Restricts where requests may go, so that a registry cannot redirect into a private network. */
export interface OutboundGuard {
  /** Throws if the URL is not an allowed destination. Also called for redirects. */
  requireAllowed(url: URL): void
  /** Returns a DNS lookup that fails if an address of the host is not allowed. */
  lookupFor(url: URL): LookupFunction
}

export interface HttpRequest {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Uint8Array
  /** How long the server may be silent. */
  readonly idleMs: number
  readonly signal?: AbortSignal
  /** Set for requests of an upload that is recorded in the journal. */
  readonly upload?: Pick<UploadRequest, 'note' | 'startUrl'>
}

interface ConnectionOptions {
  readonly guard?: OutboundGuard | undefined
  readonly uploader?: Uploader | undefined
  readonly tracing?: RequestTracing | undefined
}

/** Connections to a registry and to the hosts it redirects to. */
export class Connections {
  readonly #http = new ClearAgent(SOCKETS)
  readonly #https: SecureAgent
  readonly #guard: OutboundGuard | undefined
  readonly #uploader: Uploader | undefined
  readonly #isVerified: boolean
  readonly #tracing: RequestTracing | undefined

  constructor(
    isCertificateVerified: boolean,
    { guard, uploader, tracing }: ConnectionOptions = {}
  ) {
    this.#guard = guard
    this.#uploader = uploader
    this.#tracing = tracing
    this.#isVerified = isCertificateVerified
    this.#https = new SecureAgent({ ...SOCKETS, rejectUnauthorized: isCertificateVerified })
  }

  /** Sends one request and returns the response head. Does not follow redirects or store cookies. */
  send(request: HttpRequest): Promise<IncomingMessage> {
    const tracing = this.#tracing
    if (!tracing) {
      return this.#exchange(request)
    }
    return tracing.measure(requestStep(request), () =>
      this.#exchange({ ...request, headers: { ...request.headers, ...tracing.headers() } })
    )
  }

  async #exchange(request: HttpRequest): Promise<IncomingMessage> {
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
      outgoing.destroy(new RegistryUnavailable(`${url.host} sent nothing for ${idleMs} ms`))
    })
    // For the lifetime of the request: a response may arrive and close the connection while the body is sent.
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

/**
 * Resolves the allowed addresses, so that the upload program connects to those that were checked. Undefined if the URL
 * contains an IP address.
 */
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
 * Node.js copies what a socket reads into response chunks. This returns the read buffer after each copy, instead of
 * leaving it to the garbage collector. The listener lives as long as its request, or it would clear data that the next
 * request has not read.
 */
function releaseReadBuffers(outgoing: ClientRequest, socket: Socket): void {
  const release = (read: Buffer) => releaseChunk(markReleasable(read))
  socket.on('data', release)
  outgoing.on('close', () => socket.off('data', release))
}

const hasBody = (method: string): boolean => ['POST', 'PUT', 'PATCH'].includes(method)
