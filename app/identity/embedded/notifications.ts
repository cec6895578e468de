import pg from 'pg'

import { databaseUrl } from '#database/addresses'
import { doubledPause } from '#kernel/back_off'

const BACK_OFF = { firstMs: 250, longestMs: 30_000 }

interface Hearing {
  readonly channel: string
  readonly hear: (payload: string) => void
  /** Called when it begins to hear, and when it stops: what was told in between has been missed. */
  readonly onGap?: () => void
}

/**
 * Hears what any process tells on a channel of the provider's database, once that is kept. While the database is away it hears
 * nothing, and comes back by itself.
 */
export class NotificationListener {
  readonly #hearing: Hearing
  #client: pg.Client | undefined
  #timer: NodeJS.Timeout | undefined
  #failures = 0
  #stopped = false
  #isHearing = false

  constructor(hearing: Hearing) {
    this.#hearing = hearing
  }

  get isHearing(): boolean {
    return this.#isHearing
  }

  async start(): Promise<void> {
    const { channel, hear, onGap } = this.#hearing
    const client = new pg.Client({
      connectionString: databaseUrl('identity'),
      application_name: `analysis-hub ${channel.replaceAll('_', ' ')}`,
      keepAlive: true,
    })
    client.on('notification', ({ payload }) => hear(payload!))
    client.on('error', () => {})
    client.on('end', () => this.#startAgain(client))
    this.#client = client
    await client.connect()
    await client.query(`listen ${channel}`)
    this.#failures = 0
    this.#isHearing = true
    onGap?.()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#isHearing = false
    clearTimeout(this.#timer)
    await this.#client?.end()
  }

  #startAgain(client: pg.Client): void {
    if (this.#stopped || client !== this.#client) {
      return
    }
    this.#client = undefined
    if (this.#isHearing) {
      this.#isHearing = false
      this.#hearing.onGap?.()
    }
    this.#failures += 1
    this.#timer = setTimeout(
      () => {
        this.start().catch(() => {})
      },
      doubledPause(this.#failures, BACK_OFF)
    )
  }
}
