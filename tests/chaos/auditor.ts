import { setTimeout as delay } from 'node:timers/promises'

import { isOpen, type Client } from './client.js'

const PAUSE_AFTER_FAILURE_MS = 100

/** No index serves the first two, and the third reads all there is. */
const QUESTIONS = [
  '/telemetry/events?filter[name]=~e~&filter[refType]=~o~&sort=createdAt&page[limit]=50&page[offset]=100',
  '/telemetry/events?filter[refId]=~a~&page[limit]=50',
  '/telemetry/events/verify',
]

/**
 * A client that sends expensive queries to the audit trail, one by one.
 */
export class Auditor {
  /** Unexpected responses. */
  readonly surprises: string[] = []
  /** How many questions were answered. */
  answered = 0
  readonly #client: Client
  readonly #stopping: AbortSignal

  constructor(client: Client, stopping: AbortSignal) {
    this.#client = client
    this.#stopping = stopping
  }

  async run(): Promise<void> {
    for (let turn = 0; !this.#stopping.aborted; turn++) {
      await this.#ask(QUESTIONS[turn % QUESTIONS.length]!)
    }
  }

  async #ask(question: string): Promise<void> {
    const { status, body } = await this.#client.read(question)
    if (isOpen({ status })) {
      await delay(PAUSE_AFTER_FAILURE_MS)
    } else if (status !== 200) {
      this.surprises.push(`GET ${question}: ${status} ${body.message}`)
    } else if (body.data?.intact === false) {
      this.surprises.push(`the audit trail is not intact: ${JSON.stringify(body.data)}`)
    } else {
      this.answered++
    }
  }
}
