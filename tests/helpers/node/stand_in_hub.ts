import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { json } from 'node:stream/consumers'

import type { Assignment, HubNode } from '#node/analyses/hub_analyses'
import type { MailboxMessage } from '#node/messages/mailbox'
import { clock } from '#kernel/clock'

type Fields = Record<string, unknown>

/** A file in a bucket, which a test may move and change. */
export interface StandInFile {
  bucketId: string
  bytes: Buffer
  readonly actorType: string
  readonly actorId: string
}

export interface HubCall {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  /** What the caller is logged in with. */
  readonly token: string | undefined
  /** The trace that it carries on. */
  readonly traceparent: string | undefined
  readonly unbounded: string | undefined
  readonly body: Fields
}

/** Answers a call in the place of the hub; nothing lets the hub answer. */
export type Fault = (call: HubCall, response: ServerResponse) => Promise<unknown> | unknown

/** What a node uses of a hub, over HTTP, with the records that a test puts into it. */
export class StandInHub {
  readonly nodes: HubNode[] = []
  readonly assignments: Assignment[] = []
  readonly mailbox: MailboxMessage[] = []
  readonly logs: Fields[] = []
  readonly calls: HubCall[] = []
  /** By their ids. */
  readonly files = new Map<string, StandInFile>()
  /** Which client a file is stored by. */
  uploader = ''
  /** The token of the first login. */
  firstToken: string | undefined
  /** Answers before the hub does, where it returns something. */
  fault: Fault = () => false
  /** The bucket that all files are in; that of an analysis has its id. */
  bucketOfFiles = ''
  contentDigest = 'sha256:content'
  /** The trace of the command that distributed all analyses. */
  traceparent: string | undefined
  registry: Fields = {
    host: 'local-images',
    externalName: 'node',
    accountName: null,
    accountSecret: null,
  }
  readonly #server: Server
  readonly #streams = new Set<ServerResponse>()

  private constructor() {
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((error: Error) => response.destroy(error))
    })
  }

  static async listen(cleanup: (close: () => Promise<void>) => void): Promise<StandInHub> {
    const hub = new StandInHub()
    hub.#server.listen(0, '127.0.0.1')
    await once(hub.#server, 'listening')
    cleanup(() => hub.#close())
    return hub
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** An analysis that is approved and distributed at each of the nodes. */
  assign(nodes: readonly HubNode[], changes: Partial<Assignment> = {}): Assignment[] {
    const analysisId = changes.analysisId ?? clock.uuid()
    const analysis = {
      id: analysisId,
      name: `analysis-${analysisId.slice(0, 8)}`,
      projectId: clock.uuid(),
      configurationLocked: true,
      distributionStatus: 'executed',
      executionStatus: null,
    }
    const assigned = nodes.map(({ id: nodeId }) => ({
      id: clock.uuid(),
      approvalStatus: 'approved' as const,
      executionStatus: null,
      artifactDigest: `sha256:${'0'.repeat(64)}`,
      artifactTag: null,
      nodeId,
      analysis,
      ...changes,
      analysisId,
    }))
    this.assignments.push(...assigned)
    return assigned
  }

  /** Puts a message into the mailbox, and tells the node. */
  post(message: MailboxMessage): void {
    this.mailbox.push(message)
    this.wake()
  }

  /** Whether a node waits for messages. */
  get isListenedTo(): boolean {
    return this.#streams.size > 0
  }

  /** Ends all connections. */
  hangUp(): void {
    this.#server.closeAllConnections()
  }

  wake(): void {
    this.#streams.forEach((stream) => stream.write('event: messagePending\ndata: {}\n\n'))
  }

  async #close(): Promise<void> {
    this.#server.close()
    this.#server.closeAllConnections()
    await once(this.#server, 'close')
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname: path, searchParams: query } = new URL(request.url!, this.url)
    const isJson = request.headers['content-type'] === 'application/json'
    const body = isJson ? ((await json(request)) as Fields) : {}
    const token = request.headers.authorization?.replace('Bearer ', '')
    const traceparent = request.headers.traceparent as string | undefined
    const unbounded = request.headers['x-analysis-node-unbounded'] as string | undefined
    const call = { method: request.method!, path, query, token, traceparent, unbounded, body }
    this.firstToken ??= token
    this.calls.push(call)
    if (await this.fault(call, response)) {
      return
    }
    if (path === '/messenger/messages/stream') {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
      this.#streams.add(response)
      response.on('close', () => this.#streams.delete(response))
      return
    }
    if (path.endsWith('/upload')) {
      await this.#store(path.split('/')[3]!, request, response)
      return
    }
    const file = path.endsWith('/stream') ? this.files.get(path.split('/')[3]!) : undefined
    if (file) {
      response.end(file.bytes)
      return
    }
    this.answer(call, response)
  }

  async #store(
    bucketId: string,
    request: IncomingMessage,
    response: ServerResponse
  ): Promise<void> {
    const body = Readable.toWeb(request) as ReadableStream
    const headers = { 'content-type': request.headers['content-type']! }
    const form = await new Response(body, { headers }).formData()
    const bytes = Buffer.from(await (form.get('file') as File).arrayBuffer())
    const id = clock.uuid()
    const actor = { actorType: 'client', actorId: this.uploader }
    this.files.set(id, { bucketId, bytes, ...actor })
    response.writeHead(201, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ data: [{ id, bucketId, ...actor }] }))
  }

  /** Does what the call asks for. */
  answer(call: HubCall, response: ServerResponse): void {
    const answer = this.#answerTo(call)
    response.writeHead(answer === undefined ? 404 : 200, {
      'content-type': 'application/json',
      ...(this.traceparent !== undefined && { 'x-analysis-traceparent': this.traceparent }),
    })
    response.end(JSON.stringify(answer ?? { message: 'There is no such record' }))
  }

  #answerTo({ method, path, query, body }: HubCall): object | undefined {
    const [, , collection, id, below] = path.split('/')
    switch (`${method} ${collection}`) {
      case 'POST token':
        return { access_token: clock.uuid(), expires_in: 300 }
      case 'GET nodes':
        return below === undefined ? this.#nodesOf(query) : this.registry
      case 'GET analysis-nodes':
        return this.#assignmentsOf(query)
      case 'POST analysis-nodes':
        return Object.assign(this.assignments.find((one) => one.id === id) ?? {}, body)
      case 'POST analysis-node-logs':
        this.logs.push(body)
        return {}
      case 'GET projects':
        return { data: { id, name: 'project' } }
      case 'GET analyses':
        return { data: { digest: this.contentDigest } }
      case 'GET analysis-buckets':
        return { data: [{ bucketId: query.get('filter[analysisId]') }] }
      case 'GET bucket-files':
        return { data: this.files.get(id ?? '') ?? { bucketId: this.bucketOfFiles } }
      case 'GET messages':
        return { messages: this.mailbox.slice(0, Number(query.get('limit'))) }
      case 'POST messages':
        return id === 'ack' ? this.#acknowledge(body.ids as string[]) : { data: [clock.uuid()] }
      default:
        return undefined
    }
  }

  #nodesOf(query: URLSearchParams): object {
    const clientId = query.get('filter[clientId]')
    return { data: this.nodes.filter((node) => node.clientId === clientId) }
  }

  #assignmentsOf(query: URLSearchParams): object {
    const found = this.assignments.filter((assignment) =>
      (['nodeId', 'analysisId'] as const).every((key) =>
        [null, assignment[key]].includes(query.get(`filter[${key}]`))
      )
    )
    const start = Number(query.get('page[offset]') ?? 0)
    const page = found.slice(start, start + Number(query.get('page[limit]') ?? 50))
    const nodeOf = ({ nodeId }: Assignment) => this.nodes.find(({ id }) => id === nodeId)
    return { data: page.map((one) => ({ ...one, node: nodeOf(one) })) }
  }

  #acknowledge(ids: readonly string[]): object {
    const kept = this.mailbox.filter(({ id }) => !ids.includes(id))
    this.mailbox.splice(0, this.mailbox.length, ...kept)
    return { data: ids }
  }
}
