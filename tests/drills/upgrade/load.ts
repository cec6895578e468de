import { randomUUID } from 'node:crypto'

import { Client, isOpen } from '#tests/chaos/client'
import { Ledger } from '#tests/chaos/messenger/ledger'
import { Traffic } from '#tests/chaos/messenger/traffic'
import { NodeWriter } from '#tests/chaos/node_writer'
import { EventListener } from '#tests/drills/event_listener'
import { SocketListener } from '#tests/drills/socket_listener'
import { eventually } from '#tests/helpers/eventually'
import { fetchAnew } from '#tests/helpers/http/fetch_anew'
import type { MailboxOwner } from '#tests/helpers/messenger/mailbox_owners'
import { logIn } from '#tests/services/servers/served_pool'
import { Builder, type BuildFacts, type BuildPace } from './builder.js'
import { Reader } from './reader.js'
import { FormUploader, ResumableUploader, type Pace } from './uploads.js'

const SENDERS = 4
const RECIPIENTS = 6
const DELIVERED_WITHIN_MS = 120_000
/** What two hubs and their servers carry on two processors, with room to spare. */
const SCALE: LoadScale = {
  name: 'upgrade',
  writers: 4,
  writerPauseMs: 100,
  readers: 3,
  sendsPerSecond: 20,
}

/** What the hubs need so that clients can do all of it as long as a busy machine takes. */
export const LOADED_HUB = {
  S3_REGION: 'us-east-1',
  S3_FORCE_PATH_STYLE: 'true',
  SKIP_PROJECT_APPROVAL: 'true',
  SKIP_ANALYSIS_APPROVAL: 'true',
  // Clients sign in once, and a busy machine takes longer than a token lives.
  ACCESS_TOKEN_SECONDS: '86400',
  RATE_LIMIT_USER: '0',
  RATE_LIMIT_CLIENT: '0',
}

export interface LoadScale {
  /** What the nodes and buckets are called, in front of their numbers. */
  readonly name: string
  readonly writers: number
  readonly writerPauseMs: number
  readonly readers: number
  readonly sendsPerSecond: number
  readonly uploads?: Pace
  readonly builds?: BuildPace
}

interface Parts {
  readonly client: Client
  readonly writers: readonly NodeWriter[]
  readonly readers: readonly Reader[]
  readonly forms: FormUploader
  readonly resumable: ResumableUploader
  readonly events: EventListener
  readonly socket: SocketListener
  readonly builder: Builder
  readonly ledger: Ledger
  readonly traffic: Traffic
}

interface LoadOptions {
  readonly origin: string
  /** Called once the stream of events is open, so that it has all that follows. */
  readonly prepare: () => Promise<BuildFacts>
  readonly scale?: LoadScale
}

/** Everything that goes on at an installation in use: reads, writes, messages, uploads of both kinds, streams and builds. */
export class Load {
  readonly parts: Parts
  readonly #running: Promise<unknown>
  readonly #stopping: AbortController
  readonly #listening: AbortController

  static async start({ origin, prepare, scale = SCALE }: LoadOptions): Promise<Load> {
    const [stopping, listening] = [new AbortController(), new AbortController()]
    const token = await logIn(origin)
    const events = new EventListener(origin, token, listening.signal)
    void events.run()
    const socket = new SocketListener(origin, token)
    await Promise.all([eventually(() => events.reconnects === 0), socket.isSubscribed()])
    const building = await prepare()
    const client = await Client.signIn(origin)
    const { signal } = stopping
    const writers = Array.from({ length: scale.writers }, (_, n) => {
      const name = `${scale.name}-${n}`
      return new NodeWriter({ client, name, pauseMs: scale.writerPauseMs, stopping: signal })
    })
    const readers = Array.from({ length: scale.readers }, () => new Reader(origin, signal))
    const headers = { authorization: `Bearer ${token}` }
    const storage = {
      speaker: { base: `${origin}/storage`, headers },
      bucketId: await newBucket(origin, headers, scale.name),
      stopping: signal,
      pace: scale.uploads,
    }
    const [forms, resumable] = [new FormUploader(storage), new ResumableUploader(storage)]
    const builder = new Builder(building, signal, scale.builds)
    const ledger = new Ledger(RECIPIENTS)
    const traffic = new Traffic({
      origins: [`${origin}/messenger`],
      senders: await mailboxOwners(origin, token, SENDERS),
      recipients: await mailboxOwners(origin, token, RECIPIENTS),
      sendsPerSecond: scale.sendsPerSecond,
      ledger,
    })
    const parts = { client, writers, readers, forms, resumable, events, socket, builder }
    return new Load({ ...parts, ledger, traffic }, stopping, listening)
  }

  private constructor(parts: Parts, stopping: AbortController, listening: AbortController) {
    const { writers, readers, forms, resumable, builder } = parts
    this.parts = parts
    this.#stopping = stopping
    this.#listening = listening
    const everybody = [...writers, ...readers, forms, resumable, builder]
    this.#running = Promise.all(everybody.map((each) => each.run()))
    // Reported where the load ends; a drill that fails before that reports its own reason.
    this.#running.catch(() => {})
  }

  /** What clients were answered that they do not expect, and what they got no answer to. */
  get surprises(): string[] {
    const { client, writers, readers, forms, resumable, events, socket, builder, traffic } =
      this.parts
    const sources = [...writers, ...readers, forms, resumable, events, socket, builder, traffic]
    const failures = client.exchanges
      .filter(isOpen)
      .map(({ status, body }) => `a write: ${status} ${body.message}`)
    const broken = events.interruptions.map((reason) => `the stream of events: ${reason}`)
    return [...sources.flatMap(({ surprises }) => surprises), ...broken, ...failures]
  }

  /** Ends what writes. Resolves when all of it is answered and every message is delivered. */
  async endWriting(): Promise<void> {
    this.#stopping.abort()
    await this.#running
    const { traffic, ledger } = this.parts
    await traffic.endSending()
    await eventually(() => ledger.counts.lost === 0, DELIVERED_WITHIN_MS).catch(() => {})
    await traffic.stop()
  }

  /** Ends the streams, too. */
  stop(): void {
    this.#stopping.abort()
    this.#listening.abort()
    this.parts.socket.close()
  }
}

async function newBucket(
  origin: string,
  headers: Record<string, string>,
  name: string
): Promise<string> {
  const bucket = await created(`${origin}/storage/buckets`, headers, { name })
  return bucket.id
}

/** Users that may do nothing but what everybody may. */
function mailboxOwners(origin: string, token: string, count: number): Promise<MailboxOwner[]> {
  const headers = { authorization: `Bearer ${token}` }
  const owners = Array.from({ length: count }, async () => {
    const [name, password] = [`user-${randomUUID()}`, randomUUID()]
    const { id } = await created(`${origin}/auth/users`, headers, { name, password })
    return { type: 'user' as const, id, token: await logIn(origin, name, password) }
  })
  return Promise.all(owners)
}

async function created(
  url: string,
  headers: Record<string, string>,
  body: object
): Promise<{ id: string }> {
  const response = await fetchAnew(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (response.status !== 201) {
    throw new Error(`POST ${url}: ${response.status} ${await response.text()}`)
  }
  return ((await response.json()) as { data: { id: string } }).data
}
