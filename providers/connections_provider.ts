import type { ApplicationService } from '@adonisjs/core/types'

import { pools } from '#database/pools'
import { PrimaryNotFound } from '#database/primary_resolver'
import { hostText } from '#kernel/host_resolver'
import { health } from '#observability/health'
import { connectRedis, waitForFirstAttempt, type RedisConnection } from '#signals/redis'
import { env } from '#start/env'

declare module '@adonisjs/core/types' {
  interface ContainerBindings {
    redis: RedisConnection | undefined
  }
}

/**
 * Opens the connections of the process, adds their health checks, and closes them last.
 */
export default class ConnectionsProvider {
  #redis: RedisConnection | undefined

  constructor(protected app: ApplicationService) {}

  register() {
    this.app.container.singleton('redis', () => this.#redis)
  }

  async boot() {
    const logger = await this.app.container.make('logger')
    pools.onIdleError = ({ message }) =>
      logger.warn({ message }, 'an idle database connection broke')
    pools.onPrimaryMoved = (primary) =>
      logger.warn({ primary: hostText(primary) }, 'the primary of the database is another host now')
    health.watch('database', () => this.#checkDatabases())
    if (env.REDIS_URL) {
      this.#redis = await connectRedis(env.REDIS_URL, (error) =>
        logger.warn({ err: error }, 'redis is away')
      )
      await waitForFirstAttempt(this.#redis)
      health.watchOptional('redis', () => this.#checkRedis())
    }
  }

  async shutdown() {
    this.#redis?.disconnect()
    await pools.close()
  }

  async #checkDatabases() {
    await Promise.all(pools.all().map((pool) => pool.query('select 1'))).catch(throwReason)
  }

  async #checkRedis() {
    await this.#redis?.ping()
  }
}

/** Names the hosts, which the message of the failure does not, since it is meant for API callers. */
function throwReason(error: unknown): never {
  throw error instanceof PrimaryNotFound ? error.cause : error
}
