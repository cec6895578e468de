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

/** A request that begins an upload, goes on with one or ends it. */
export interface UploadRequest {
  readonly id: number
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Of its body. */
  readonly length: number
  readonly idleMs: number
  readonly isVerified: boolean
  /** Those of its host that may be connected to; whatever the host means where it is left out. */
  readonly addresses?: readonly LookupAddress[] | undefined
  /** The file in which is noted where the upload is, and what was asked to begin it. */
  readonly note: string
  readonly begun: string
}

/** What came of it. */
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
/** What says whose certificates are good; it needs to know nothing else. */
const TRUST_VARIABLES = /^(NODE_EXTRA_CA_CERTS|NODE_USE_SYSTEM_CA|SSL_CERT_(FILE|DIR))$/

/**
 * Has requests of uploads made by a program beside this process, which is started when it is first needed. Were they made here and this process killed, nobody
 * would know where the uploads are that a registry keeps.
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
    // In a group of its own, so that what ends ours does not end it.
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

  /** This process stays for as long as somebody waits for an answer, and for nothing else of it. */
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
      const failure = new RegistryUnavailable('What uploads for this process has ended', cause)
      this.#pending.forEach(({ reject }) => reject(failure))
    }
  }
}

/** Pipes to a program are sockets. */
const socketOf = (pipe: Writable | Readable): Socket => pipe as Socket

/** As if this process had asked itself. */
function messageOf({ status, headers, body }: Exclude<UploadResponse, { problem: string }>) {
  const message = new IncomingMessage(new Socket())
  message.statusCode = status
  Object.assign(message.headers, headers)
  message.push(Buffer.from(body, 'base64'))
  message.push(null)
  return message
}
