import { databaseUrl } from '#database/addresses'
import { DatabaseClient } from '#database/database_client'
import { pools } from '#database/pools'
import { exponentialBackoff } from '#kernel/backoff'

const BACK_OFF = { firstMs: 250, longestMs: 5_000 }

interface NotificationOptions {
  readonly channels: readonly [string, ...string[]]
  /** Statements to run on the connection after it listens. */
  readonly session?: string
  readonly receive: (payload: string, channel: string) => void
  /** Called when listening starts and stops: notifications in between were missed. */
  readonly onGap?: () => void
}

/** Receives NOTIFY messages from the provider's database. Reconnects when the database is unavailable. */
export class NotificationListener {
  readonly #options: NotificationOptions
  #client: DatabaseClient | undefined
  #timer: NodeJS.Timeout | undefined
  #failures = 0
  #stopped = false
  #backendPid: number | undefined

  constructor(options: NotificationOptions) {
    this.#options = options
  }

  get isListening(): boolean {
    return this.#backendPid !== undefined
  }

  /** The PID of the server process of this connection; undefined while disconnected. */
  get backendPid(): number | undefined {
    return this.#backendPid
  }

  async start(): Promise<void> {
    const { channels, session = '', receive, onGap } = this.#options
    const client = new DatabaseClient({
      ...pools.connectionTo(databaseUrl('identity')),
      application_name: `analysis-hub ${channels[0].replaceAll('_', ' ')}`,
      keepAlive: true,
    })
    client.on('notification', ({ payload, channel }) => receive(payload!, channel))
    client.on('error', () => {})
    client.on('end', () => this.#reconnect(client))
    this.#client = client
    await client.connect()
    await client.query([...channels.map((channel) => `listen ${channel}`), session].join(';'))
    const { rows } = await client.query<{ number: number }>('select pg_backend_pid() as number')
    this.#failures = 0
    this.#backendPid = rows[0]!.number
    onGap?.()
  }

  /** Sends a notification on the same connection. Dropped while disconnected. */
  notify(channel: string, payload: string): void {
    this.#client?.query('select pg_notify($1, $2)', [channel, payload]).catch(() => {})
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#backendPid = undefined
    clearTimeout(this.#timer)
    await this.#client?.end()
  }

  #reconnect(client: DatabaseClient): void {
    if (this.#stopped || client !== this.#client) {
      return
    }
    this.#client = undefined
    if (this.isListening) {
      this.#backendPid = undefined
      this.#options.onGap?.()
    }
    this.#failures += 1
    this.#timer = setTimeout(
      () => {
        this.start().catch(() => {})
      },
      exponentialBackoff(this.#failures, BACK_OFF)
    )
  }
}
