import pg from 'pg'

import { durablePostgres } from '#tests/helpers/database/durable_postgres'
import { HubProcesses } from '#tests/helpers/hub_processes'
import { mailboxOwners, type MailboxOwner } from '#tests/helpers/messenger/mailbox_owners'
import { startRedis } from '#tests/services/servers/redis'
import { StandInProvider, SYSTEM } from '#tests/unit/identity/stand_in/stand_in_provider'

const NO_LIMITS = {
  RATE_LIMIT_USER: '0',
  RATE_LIMIT_CLIENT: '0',
  MAILBOX_MAX_BYTES: '0',
  SENDER_MAX_BYTES: '0',
  SENDER_MAX_MESSAGES: '0',
}

/**
 * What is measured: web processes of the production build, a database that waits for its disk, and Redis, with an identity
 * provider elsewhere.
 */
export class Installation {
  readonly databaseUrl: string
  readonly sql: pg.Pool
  readonly #standIn: StandInProvider
  readonly #redisUrl: string
  readonly #cleanup: AsyncDisposableStack

  static async start(): Promise<Installation> {
    await using cleanup = new AsyncDisposableStack()
    const database = await durablePostgres()
    cleanup.defer(() => database.stop())
    const redis = await startRedis()
    cleanup.defer(() => redis.stop())
    const standIn = await StandInProvider.start()
    standIn.lifetimeSeconds = 7_200
    cleanup.defer(() => standIn.goAway())
    const sql = new pg.Pool({ connectionString: database.url, max: 2 })
    cleanup.defer(() => sql.end())
    return new Installation(
      { databaseUrl: database.url, redisUrl: redis.url, standIn, sql },
      cleanup.move()
    )
  }

  private constructor(
    parts: { databaseUrl: string; redisUrl: string; standIn: StandInProvider; sql: pg.Pool },
    cleanup: AsyncDisposableStack
  ) {
    this.databaseUrl = parts.databaseUrl
    this.sql = parts.sql
    this.#standIn = parts.standIn
    this.#redisUrl = parts.redisUrl
    this.#cleanup = cleanup
  }

  /** Clients of the master realm that may do nothing but what everybody may. */
  people(count: number): MailboxOwner[] {
    return mailboxOwners(this.#standIn, count)
  }

  /** `processes` that answer requests on one port; one is without a supervisor. */
  serve({ processes = 1, isLimited = false, variables = {} }: Serving = {}): Promise<HubProcesses> {
    return HubProcesses.start(processes === 1 ? 'server' : 'pool', {
      variables: {
        SURFACES: 'messenger',
        JOBS: 'none',
        POOL_WEB: String(processes),
        POOL_JOBS: '0',
        DATABASE_URL: this.databaseUrl,
        REDIS_URL: this.#redisUrl,
        IDENTITY_URL: this.#standIn.url,
        CLIENT_SECRET: SYSTEM.clientSecret,
        CONNECTIONS_MAX: '0',
        CONNECTIONS_MAX_PER_ADDRESS: '0',
        LOG_LEVEL: 'error',
        ...(!isLimited && NO_LIMITS),
        ...variables,
      },
    })
  }

  async stop(): Promise<void> {
    await this.#cleanup.disposeAsync()
  }
}

interface Serving {
  readonly processes?: number
  readonly isLimited?: boolean
  readonly variables?: Record<string, string>
}
