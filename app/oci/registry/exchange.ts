import type { LookupAddress } from 'node:dns'
import {
  Agent as ClearAgent,
  request as requestInClear,
  type ClientRequest,
  type IncomingMessage,
} from 'node:http'
import { Agent as SecureAgent, request as requestSecurely } from 'node:https'
import { isIP, type LookupFunction, type Socket } from 'node:net'

import { passOn, spend } from '#kernel/passing_bytes'
import { RegistryAway } from '#oci/errors'
import type { Asked, Uploader } from '#oci/uploads/uploader'

const SOCKETS = { keepAlive: true, maxSockets: 16, scheduling: 'lifo' } as const

/** What may be asked at all, for whom a registry could lead into a network that is not meant for it. */
export interface Guard {
  /** Throws where nothing may be asked; what a registry names is looked at as well. */
  requireAllowed(url: URL): void
  /** Finds the addresses of the host of a URL, and fails where one of them may not be connected to. */
  lookupFor(url: URL): LookupFunction
}

export interface Sending {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Uint8Array
  /** How long the other side may be silent. */
  readonly idleMs: number
  readonly signal?: AbortSignal
  /** What it is a part of, where that is to be noted. */
  readonly upload?: Pick<Asked, 'note' | 'begun'>
}

/** The connections to one registry, and to where it sends us. */
export class Connections {
  readonly #clear = new ClearAgent(SOCKETS)
  readonly #secure: SecureAgent
  readonly #guard: Guard | undefined
  readonly #uploader: Uploader | undefined
  readonly #isVerified: boolean

  constructor(isCertificateVerified: boolean, guard?: Guard, uploader?: Uploader) {
    this.#guard = guard
    this.#uploader = uploader
    this.#isVerified = isCertificateVerified
    this.#secure = new SecureAgent({ ...SOCKETS, rejectUnauthorized: isCertificateVerified })
  }

  /** One request and the head of its answer. Nothing is followed, and no cookie is kept. */
  async send(sending: Sending): Promise<IncomingMessage> {
    const { method, url, headers, body, idleMs, signal, upload } = sending
    this.#guard?.requireAllowed(url)
    if (this.#uploader && upload) {
      const isVerified = this.#isVerified
      const addresses = this.#guard && (await addressesOf(url, this.#guard))
      const asking = { method, url: url.href, headers, idleMs, isVerified, addresses, ...upload }
      return this.#uploader.send(asking, body, signal)
    }
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    const length = body ? body.byteLength : hasBody(method) ? 0 : undefined
    const isSecure = url.protocol === 'https:'
    const asking = (isSecure ? requestSecurely : requestInClear)(url, {
      method,
      headers: { ...headers, ...(length !== undefined && { 'content-length': length }) },
      agent: isSecure ? this.#secure : this.#clear,
      ...(this.#guard && { lookup: this.#guard.lookupFor(url) }),
      signal,
    })
    asking.setTimeout(idleMs, () => {
      asking.destroy(new RegistryAway(`${url.host} was silent for ${idleMs} ms`))
    })
    // Heard for as long as the request lives: an answer may come while the body is still sent, and break that off.
    asking.on('error', reject)
    asking.on('socket', (socket) => giveBackReads(asking, socket))
    asking.on('response', (response) => {
      asking.setTimeout(0)
      resolve(response)
    })
    asking.end(body)
    return promise
  }

  close(): void {
    this.#clear.destroy()
    this.#secure.destroy()
  }
}

/** What is looked at is what is connected to, also by another program; undefined where the URL itself names an address. */
async function addressesOf(url: URL, guard: Guard): Promise<LookupAddress[] | undefined> {
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
function giveBackReads(asking: ClientRequest, socket: Socket): void {
  const giveBack = (read: Buffer) => spend(passOn(read))
  socket.on('data', giveBack)
  asking.on('close', () => socket.off('data', giveBack))
}

const hasBody = (method: string): boolean => ['POST', 'PUT', 'PATCH'].includes(method)
