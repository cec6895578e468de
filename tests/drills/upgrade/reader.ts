import { setTimeout as delay } from 'node:timers/promises'

import { Client } from '#tests/chaos/client'

const PATHS = [
  '/core/nodes?page[limit]=20&sort=-createdAt',
  '/core/analyses?include=project&page[limit]=10',
  '/storage/buckets?page[limit]=10',
  '/telemetry/events?page[limit]=20',
  '/auth/users?page[limit]=10',
]
const PAUSE_MS = 30
const SIGN_IN_EVERY = 10

/** Reads from every surface, and signs in anew now and then: its tokens are made and verified by processes of either release. */
export class Reader {
  answered = 0
  /** Answers other than 200. */
  readonly surprises: string[] = []
  readonly #origin: string
  readonly #stopping: AbortSignal

  constructor(origin: string, stopping: AbortSignal) {
    this.#origin = origin
    this.#stopping = stopping
  }

  async run(): Promise<void> {
    let client = await Client.signIn(this.#origin)
    for (let turn = 1; !this.#stopping.aborted; turn++) {
      await this.#read(client, PATHS[turn % PATHS.length]!)
      if (turn % (SIGN_IN_EVERY * PATHS.length) === 0) {
        client = await this.#signInAgain(client)
      }
      await delay(PAUSE_MS)
    }
  }

  async #signInAgain(client: Client): Promise<Client> {
    try {
      return await Client.signIn(this.#origin)
    } catch (error) {
      this.surprises.push(`a login: ${error}`)
      return client
    }
  }

  async #read(client: Client, path: string): Promise<void> {
    const { status, body } = await client.read(path)
    if (status === 200) {
      this.answered++
    } else {
      this.surprises.push(`GET ${path}: ${status} ${body.message}`)
    }
  }
}
