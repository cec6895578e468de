import { spawn, type ChildProcessByStdio } from 'node:child_process'
import type { LookupAddress } from 'node:dns'
import { IncomingMessage, type IncomingHttpHeaders } from 'node:http'
import { Socket } from 'node:net'
import { extname } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'

import { RegistryUnavailable } from '#oci/errors'
import { unlessAborted } from '#oci/unless_aborted'

/** A request that starts, continues or ends an upload. */
export interface UploadRequest {
  readonly id: number
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Bytes of the body. */
  readonly length: number
  readonly idleMs: number
  readonly isVerified: boolean
  /** The addresses to connect to. Resolved from the host if left out. */
  readonly addresses?: readonly LookupAddress[] | undefined
  /** Path of the journal entry. */
  readonly note: string
  /** Where the upload started. */
  readonly startUrl: string
}

export type UploadResponse =
  | { readonly id: number; readonly problem: string }
  | {
      readonly id: number
      readonly problem?: undefined
      readonly status: number
      readonly headers: IncomingHttpHeaders
      readonly body: string
    }

type Program = ChildProcessByStdio<Writable, Readable, null>

const PROGRAM = fileURLToPath(
  new URL(`./upload_program${extname(import.meta.url)}`, import.meta.url)
)
const FLAGS = ['--max-old-space-size=32', '--max-semi-space-size=1', '--expose-gc']
/** Variables that select trusted certificates. The child process gets no others. */
const TRUST_VARIABLES = /^(NODE_EXTRA_CA_CERTS|NODE_USE_SYSTEM_CA|SSL_CERT_(FILE|DIR))$/

/**
 * Sends upload requests through a child process, started on first use. If this process crashes, the child still records
 * where the uploads are.
 */
export class Uploader {
  readonly #pending = new Map<number, PromiseWithResolvers<IncomingMessage>>()
  #program: Program | undefined
  #nextId = 0

  async send(
    request: Omit<UploadRequest, 'id' | 'length'>,
    body: Uint8Array = Buffer.alloc(0),
    signal?: AbortSignal
  ): Promise<IncomingMessage> {
    const id = this.#nextId++
    const pending = Promise.withResolvers<IncomingMessage>()
    this.#pending.set(id, pending)
    const program = (this.#program ??= this.#start())
    this.#updateRef(program)
    const head = Buffer.from(JSON.stringify({ ...request, id, length: body.length }))
    const length = Buffer.alloc(4)
    length.writeUInt32BE(head.length)
    program.stdin.write(Buffer.concat([length, head]))
    program.stdin.write(body)
    try {
      return await unlessAborted(pending.promise, signal)
    } finally {
      this.#pending.delete(id)
      this.#updateRef(program)
    }
  }

  #start(): Program {
    // In its own process group, so that signals to ours do not end it.
    const program = spawn(process.execPath, [...FLAGS, PROGRAM], {
      stdio: ['pipe', 'pipe', 'inherit'],
      detached: true,
      env: Object.fromEntries(
        Object.entries(process.env).filter(([name]) => TRUST_VARIABLES.test(name))
      ),
    })
    createInterface({ input: program.stdout }).on('line', (line) => this.#settle(JSON.parse(line)))
    program.stdin.on('error', () => {})
    program.once('error', (error) => this.#fail(program, error))
    program.once('exit', () => this.#fail(program))
    program.unref()
    socketOf(program.stdin).unref()
    return program
  }

  /** Keeps this process alive only while requests are pending. */
  #updateRef({ stdout }: Program): void {
    if (this.#pending.size > 0) {
      socketOf(stdout).ref()
    } else {
      socketOf(stdout).unref()
    }
  }

  #settle(response: UploadResponse): void {
    const pending = this.#pending.get(response.id)
    if (response.problem === undefined) {
      pending?.resolve(messageOf(response))
    } else {
      pending?.reject(new RegistryUnavailable(response.problem))
    }
  }

  #fail(program: Program, cause?: Error): void {
    if (this.#program === program) {
      this.#program = undefined
      const failure = new RegistryUnavailable('The upload process has ended', cause)
      this.#pending.forEach(({ reject }) => reject(failure))
    }
  }
}

/** Pipes of child processes are sockets. */
const socketOf = (pipe: Writable | Readable): Socket => pipe as Socket

/** Builds the message that a direct request would return. */
function messageOf({ status, headers, body }: Exclude<UploadResponse, { problem: string }>) {
  const message = new IncomingMessage(new Socket())
  message.statusCode = status
  Object.assign(message.headers, headers)
  message.push(Buffer.from(body, 'base64'))
  message.push(null)
  return message
}
