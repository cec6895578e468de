import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

import { readVictoriaLogsExchanges } from '#tests/helpers/vectors'

import { bodyOf, takeLines } from './inserted_lines.js'
import { answerTo, holds, type KeptLine } from './kept_lines.js'
import { NotSpoken, parseLogsql } from './logsql_parser.js'
import { Resemblance } from './resemblance.js'
import { realTime } from '#tests/helpers/real_time'

export interface StandInOptions {
  /** `none` as in releases before there was a deletion, `off` without its flag. */
  readonly deletion?: 'none' | 'off' | 'on'
  readonly retentionDays?: number
  /** After so long lines that were taken are shown. */
  readonly visibleMs?: number
  readonly now?: () => number
}

interface Reply {
  readonly status: number
  readonly body: string
  readonly type?: string
}

const OFF =
  'requests to /delete/* are disabled; pass -delete.enable command-line flag for enabling them; see https://docs.victoriametrics.com/victorialogs/#how-to-delete-logs\n'
const DELETION_TAKES_MS = 30
/** In the query of a GET. */
const LONGEST_HEAD = 1024 ** 2

/**
 * A server that behaves as VictoriaLogs does, as far as the platform uses it. A test plays it what a real one was asked and
 * compares the answers; what resembles none of these it refuses, and remembers.
 */
export class VictoriaLogsStandIn {
  readonly strange: string[] = []
  readonly inserted: string[] = []
  lines: KeptLine[] = []
  deletion: NonNullable<StandInOptions['deletion']>
  /** Answers instead of the server, for requests whose method and path match. */
  fault:
    { to: RegExp; does: 'hangs up' | 'hangs up afterwards' | number; times: number } | undefined
  /** Told of each request that it answers. */
  onAsked: (path: string) => void = () => {}
  readonly #options: StandInOptions
  readonly #resemblance = new Resemblance(readVictoriaLogsExchanges())
  readonly #tasks = new Map<string, string>()
  readonly #server = createServer({ maxHeaderSize: LONGEST_HEAD }, (request, response) => {
    void this.#take(request, response)
  })

  private constructor(options: StandInOptions) {
    this.#options = options
    this.deletion = options.deletion ?? 'on'
  }

  static async start(options: StandInOptions = {}): Promise<VictoriaLogsStandIn> {
    const standIn = new VictoriaLogsStandIn(options)
    standIn.#server.listen(0, '127.0.0.1')
    await once(standIn.#server, 'listening')
    return standIn
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  /** As an end without a farewell: what came in since that moment is lost, though it was taken. */
  loseSince(moment: number): void {
    this.lines = this.lines.filter(({ takenAt }) => takenAt < moment)
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) {
      chunks.push(chunk)
    }
    const fault = this.#faultFor(request)
    if (fault === 'hangs up') {
      return void request.socket.destroy()
    }
    const reply =
      typeof fault === 'number'
        ? { status: fault, body: 'fault\n' }
        : await this.#reply(request, Buffer.concat(chunks))
    if (fault === 'hangs up afterwards') {
      return void request.socket.destroy()
    }
    const { status, body, type = 'text/plain; charset=utf-8' } = reply
    response.writeHead(status, { 'content-type': type, 'vary': 'Accept-Encoding' }).end(body)
  }

  #faultFor({ method, url }: IncomingMessage) {
    if (!this.fault?.to.test(`${method} ${url}`) || this.fault.times === 0) {
      return undefined
    }
    this.fault.times--
    return this.fault.does
  }

  async #reply(request: IncomingMessage, body: Buffer): Promise<Reply> {
    const seen = { method: request.method!, path: request.url!, headers: request.headers }
    const url = new URL(seen.path, this.url)
    this.onAsked(seen.path)
    try {
      if (!url.pathname.startsWith('/delete/') || this.deletion === 'on') {
        this.#requireFamiliar(seen)
      }
      return await this.#answer(seen.method, url, bodyOf(body, request.headers['content-encoding']))
    } catch (error) {
      if (error instanceof NotSpoken) {
        this.strange.push(`${seen.method} ${decodeURIComponent(seen.path)}: ${error.message}`)
        return { status: 501, body: `nothing like this was recorded: ${error.message}\n` }
      }
      throw error
    }
  }

  #requireFamiliar(seen: { method: string; path: string; headers: IncomingMessage['headers'] }) {
    const strange = this.#resemblance.strangeIn(seen)
    if (strange.length > 0) {
      throw new NotSpoken(strange.join(', '))
    }
  }

  async #answer(method: string, url: URL, body: string): Promise<Reply> {
    switch (url.pathname) {
      case '/health':
        return { status: 200, body: 'OK' }
      case '/internal/force_flush':
        return { status: 200, body: '' }
      case '/insert/jsonline':
        return this.#insert(method, body)
      case '/select/logsql/query':
        return this.#query(url)
      case '/delete/run_task':
      case '/delete/active_tasks':
        return this.#delete(url, body)
      default:
        return { status: 400, body: `unsupported path requested: "${url.pathname}"\n` }
    }
  }

  #insert(method: string, body: string): Reply {
    if (method !== 'POST') {
      return { status: 405, body: '', type: 'application/json' }
    }
    this.inserted.push(body)
    const now = this.#options.now?.() ?? Date.now()
    const { lines, isUnderstood } = takeLines(body, {
      now,
      retentionDays: this.#options.retentionDays ?? 7,
    })
    this.lines.push(...lines)
    return isUnderstood
      ? { status: 200, body: '', type: 'application/json' }
      : { status: 400, body: 'cannot process jsonline request; error: …\n' }
  }

  #query(url: URL): Reply {
    const shownBefore = performance.now() - (this.#options.visibleMs ?? 0)
    const shown = this.lines.filter(({ takenAt }) => takenAt <= shownBefore)
    const limit = Number(url.searchParams.get('limit') ?? 0)
    const rows = answerTo(parseLogsql(url.searchParams.get('query') ?? ''), shown)
    const answered = limit > 0 ? rows.slice(0, limit) : rows
    return {
      status: 200,
      body: answered.map((row) => `${JSON.stringify(row)}\n`).join(''),
      type: 'application/stream+json',
    }
  }

  async #delete(url: URL, body: string): Promise<Reply> {
    if (this.deletion !== 'on') {
      const text = this.deletion === 'off' ? OFF : `unsupported path requested: "${url.pathname}"\n`
      return { status: 400, body: text }
    }
    if (url.pathname === '/delete/active_tasks') {
      const tasks = [...this.#tasks].map(([id, filter]) => ({ task_id: id, filter }))
      return { status: 200, body: JSON.stringify(tasks), type: 'application/json' }
    }
    const filter = new URLSearchParams(body).get('filter') ?? ''
    const id = String(BigInt(Date.now()) * 1_000_000n + BigInt(this.#tasks.size))
    this.#tasks.set(id, filter)
    void this.#work(id, filter)
    return { status: 200, body: JSON.stringify({ task_id: id }), type: 'application/json' }
  }

  /** Lines that are dated later than its beginning are left. */
  async #work(id: string, filter: string): Promise<void> {
    await realTime(DELETION_TAKES_MS, 'a real server deletes in the background')
    const { filter: node } = parseLogsql(filter)
    const startedAt = BigInt(Date.now()) * 1_000_000n
    this.lines = this.lines.filter((line) => line.time > startedAt || !holds(node, line))
    this.#tasks.delete(id)
  }
}
