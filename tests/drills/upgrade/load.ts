import { randomUUID } from 'node:crypto'

import { Client, isOpen } from '#tests/chaos/client'
import { Ledger } from '#tests/chaos/messenger/ledger'
import { Traffic } from '#tests/chaos/messenger/traffic'
import { NodeWriter } from '#tests/chaos/node_writer'
import { EventListener } from '#tests/drills/event_listener'
import { SocketListener } from '#tests/drills/socket_listener'
import { eventually } from '#tests/helpers/eventually'
import type { MailboxOwner } from '#tests/helpers/messenger/mailbox_owners'
import { logIn } from '#tests/services/servers/served_pool'
import { Builder } from './builder.js'
import { Reader } from './reader.js'
import { FormUploader, ResumableUploader } from './uploads.js'

const WRITERS = 4
const READERS = 3
const SENDERS = 4
const RECIPIENTS = 6
const SENDS_PER_SECOND = 20
const WRITER_PAUSE_MS = 100
const DELIVERED_WITHIN_MS = 120_000

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
  readonly databaseUrl: string
}

/** Everything that goes on at an installation in use: reads, writes, messages, uploads of both kinds, streams and builds. */
export class Load {
  readonly parts: Parts
  readonly #running: Promise<unknown>
  readonly #stopping: AbortController
  readonly #listening: AbortController

  static async start({ origin, databaseUrl }: LoadOptions): Promise<Load> {
    const [stopping, listening] = [new AbortController(), new AbortController()]
    const token = await logIn(origin)
    const events = new EventListener(origin, token, listening.signal)
    void events.run()
    const socket = new SocketListener(origin, token)
    await Promise.all([eventually(() => events.reconnects === 0), socket.isSubscribed()])
    const client = await Client.signIn(origin)
    const { signal } = stopping
    const writers = Array.from({ length: WRITERS }, (_, n) => {
      const name = `upgrade-${n}`
      return new NodeWriter({ client, name, pauseMs: WRITER_PAUSE_MS, stopping: signal })
    })
    const readers = Array.from({ length: READERS }, () => new Reader(origin, signal))
    const headers = { authorization: `Bearer ${token}` }
    const storage = {
      speaker: { base: `${origin}/storage`, headers },
      bucketId: await newBucket(origin, headers),
      stopping: signal,
    }
    const [forms, resumable] = [new FormUploader(storage), new ResumableUploader(storage)]
    const builder = await Builder.at(origin, databaseUrl, signal)
    const ledger = new Ledger(RECIPIENTS)
    const traffic = new Traffic({
      origins: [`${origin}/messenger`],
      senders: await mailboxOwners(origin, token, SENDERS),
      recipients: await mailboxOwners(origin, token, RECIPIENTS),
      sendsPerSecond: SENDS_PER_SECOND,
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

async function newBucket(origin: string, headers: Record<string, string>): Promise<string> {
  const bucket = await created(`${origin}/storage/buckets`, headers, { name: 'upgrade' })
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
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (response.status !== 201) {
    throw new Error(`POST ${url}: ${response.status} ${await response.text()}`)
  }
  return ((await response.json()) as { data: { id: string } }).data
}
