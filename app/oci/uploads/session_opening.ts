import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { IncomingMessage, type IncomingHttpHeaders } from 'node:http'
import { Socket } from 'node:net'
import { extname } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'

import { RegistryAway } from '#oci/errors'
import { unlessAborted } from '#oci/unless_aborted'

/** A question for an upload. */
export interface Opening {
  readonly id: number
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly idleMs: number
  readonly isVerified: boolean
  /** The file in which is noted where the upload is. */
  readonly note: string
}

/** What came of it. */
export type Opened =
  | { readonly id: number; readonly problem: string }
  | {
      readonly id: number
      readonly problem?: undefined
      readonly status: number
      readonly headers: IncomingHttpHeaders
      readonly body: string
    }

type Opener = ChildProcessByStdio<Writable, Readable, null>

const PROGRAM = fileURLToPath(
  new URL(`./session_opener${extname(import.meta.url)}`, import.meta.url)
)
const FLAGS = ['--max-old-space-size=32', '--max-semi-space-size=1']
/** What says whose certificates are good; it needs to know nothing else. */
const TRUST = /^(NODE_EXTRA_CA_CERTS|NODE_USE_SYSTEM_CA|NODE_OPTIONS|SSL_CERT_(FILE|DIR))$/

/**
 * Has uploads begun by a program beside this process, which it starts when it is first needed. Were this process killed between the question and the answer,
 * nobody would know of an upload that a registry keeps.
 */
export class SessionOpening {
  readonly #waiting = new Map<number, PromiseWithResolvers<IncomingMessage>>()
  #opener: Opener | undefined
  #asked = 0

  async send(asking: Omit<Opening, 'id'>, signal?: AbortSignal): Promise<IncomingMessage> {
    const id = this.#asked++
    const waiting = Promise.withResolvers<IncomingMessage>()
    this.#waiting.set(id, waiting)
    const opener = (this.#opener ??= this.#start())
    this.#hold(opener)
    opener.stdin.write(`${JSON.stringify({ ...asking, id })}\n`)
    try {
      return await unlessAborted(waiting.promise, signal)
    } finally {
      this.#waiting.delete(id)
      this.#hold(opener)
    }
  }

  #start(): Opener {
    // In a group of its own, so that what ends ours does not end it.
    const opener = spawn(process.execPath, [...FLAGS, PROGRAM], {
      stdio: ['pipe', 'pipe', 'inherit'],
      detached: true,
      env: Object.fromEntries(Object.entries(process.env).filter(([name]) => TRUST.test(name))),
    })
    createInterface({ input: opener.stdout }).on('line', (line) => this.#take(JSON.parse(line)))
    opener.stdin.on('error', () => {})
    opener.once('error', (error) => this.#lose(opener, error))
    opener.once('exit', () => this.#lose(opener))
    opener.unref()
    unref(opener.stdin)
    return opener
  }

  /** This process stays for as long as somebody waits for an answer, and for nothing else of it. */
  #hold({ stdout }: Opener): void {
    if (this.#waiting.size > 0) {
      ;(stdout as Socket).ref()
    } else {
      unref(stdout)
    }
  }

  #take(opened: Opened): void {
    const waiting = this.#waiting.get(opened.id)
    if (opened.problem === undefined) {
      waiting?.resolve(messageOf(opened))
    } else {
      waiting?.reject(new RegistryAway(opened.problem))
    }
  }

  #lose(opener: Opener, cause?: Error): void {
    if (this.#opener === opener) {
      this.#opener = undefined
      const lost = new RegistryAway('What begins uploads for this process has ended', cause)
      this.#waiting.forEach(({ reject }) => reject(lost))
    }
  }
}

const unref = (pipe: Writable | Readable): void => void (pipe as Socket).unref()

/** As if this process had asked itself. */
function messageOf({ status, headers, body }: Exclude<Opened, { problem: string }>) {
  const message = new IncomingMessage(new Socket())
  message.statusCode = status
  Object.assign(message.headers, headers)
  message.push(Buffer.from(body, 'base64'))
  message.push(null)
  return message
}
