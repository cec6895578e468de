import { setTimeout as delay } from 'node:timers/promises'

const RECONNECT_AFTER_MS = 100
/** The first block tells only where the stream starts. */
const EVENT = /^id: (.+)(?:\nevent: event\ndata: (.+))?$/

/** Streams the audit events of nodes, and reconnects with the last id when the stream ends. */
export class EventListener {
  /** How often each event came, by its id. */
  readonly received = new Map<string, number>()
  /** Streams after the first one. */
  reconnects = -1
  /** Streams that were refused. */
  readonly surprises: string[] = []
  /** Why streams broke off: a process that stops ends them in order. */
  readonly interruptions: string[] = []
  readonly #url: string
  readonly #token: string
  readonly #stopping: AbortSignal
  #lastEventId: string | undefined

  constructor(origin: string, token: string, stopping: AbortSignal) {
    this.#url = `${origin}/telemetry/events?filter[refType]=node`
    this.#token = token
    this.#stopping = stopping
  }

  async run(): Promise<void> {
    while (!this.#stopping.aborted) {
      await this.#stream().catch((error: Error) => {
        if (!this.#stopping.aborted) {
          this.interruptions.push(error.message)
        }
      })
      await delay(RECONNECT_AFTER_MS)
    }
  }

  async #stream(): Promise<void> {
    const response = await fetch(this.#url, {
      headers: {
        authorization: `Bearer ${this.#token}`,
        accept: 'text/event-stream',
        ...(this.#lastEventId && { 'last-event-id': this.#lastEventId }),
      },
      signal: this.#stopping,
    })
    if (response.status !== 200) {
      this.surprises.push(`the stream of events: ${response.status} ${await response.text()}`)
      return
    }
    this.reconnects++
    let text = ''
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      const blocks = (text + chunk).split('\n\n')
      text = blocks.pop()!
      blocks.forEach((block) => this.#receive(block))
    }
  }

  #receive(block: string): void {
    const [, id, data] = EVENT.exec(block) ?? []
    this.#lastEventId = id ?? this.#lastEventId
    if (data) {
      const event = JSON.parse(data) as { id: string }
      this.received.set(event.id, (this.received.get(event.id) ?? 0) + 1)
    }
  }
}
