import { mailboxOwners, type MailboxOwner } from '#tests/helpers/messenger/mailbox_owners'
import { HubProcesses } from '#tests/helpers/hub_processes'
import { freePort } from '#tests/services/servers/free_port'
import { startPostgres } from '#tests/services/servers/postgres'
import type { RealServer } from '#tests/services/servers/real_server'
import { startRedis } from '#tests/services/servers/redis'
import { StandInProvider, SYSTEM } from '#tests/unit/identity/stand_in/stand_in_provider'

/** Two processes of ours, either of which may accept a message that the other one hands out, and what both lean on. */
export const VICTIMS = ['one', 'other', 'database', 'redis'] as const
export type Victim = (typeof VICTIMS)[number]

const TOKENS_LAST_S = 7_200

interface Parts {
  readonly database: RealServer
  readonly redis: RealServer
  readonly standIn: StandInProvider
  readonly ports: { one: number; other: number }
}

export class Installation {
  readonly #parts: Parts
  readonly #programs = new Map<Victim, HubProcesses>()

  static async start(): Promise<Installation> {
    const [database, redis, standIn, one, other] = await Promise.all([
      startPostgres(),
      startRedis(),
      StandInProvider.start(),
      freePort(),
      freePort(),
    ])
    standIn.lifetimeSeconds = TOKENS_LAST_S
    const installation = new Installation({ database, redis, standIn, ports: { one, other } })
    try {
      await installation.revive('one')
      await installation.revive('other')
      return installation
    } catch (error) {
      await installation.stop()
      throw error
    }
  }

  private constructor(parts: Parts) {
    this.#parts = parts
  }

  get origins(): string[] {
    return Object.values(this.#parts.ports).map((port) => `http://127.0.0.1:${port}`)
  }

  owners(count: number): MailboxOwner[] {
    return mailboxOwners(this.#parts.standIn, count)
  }

  /** SIGKILL; resolves when nothing is left of it. */
  async kill(victim: Victim): Promise<void> {
    if (victim === 'one' || victim === 'other') {
      await this.#programs.get(victim)!.remove()
    } else {
      await this.#parts[victim].kill()
    }
  }

  /** Restarts a killed process; resolves when it is ready. */
  async revive(victim: Victim): Promise<void> {
    if (victim === 'one' || victim === 'other') {
      const variables = this.#variablesOf(victim)
      this.#programs.set(victim, await HubProcesses.start('server', { variables }))
    } else {
      await this.#parts[victim].restart()
    }
  }

  async stop(): Promise<void> {
    const { database, redis, standIn } = this.#parts
    await Promise.all([...this.#programs.values()].map((program) => program.remove()))
    await Promise.all([database.stop(), redis.stop(), standIn.goAway()])
  }

  #variablesOf(victim: 'one' | 'other') {
    const { database, redis, standIn, ports } = this.#parts
    return {
      SURFACES: 'messenger',
      JOBS: 'sweeps',
      PORT: String(ports[victim]),
      APP_KEY: 'a-key-for-tests-that-is-long-enough-000',
      DATABASE_URL: database.url,
      REDIS_URL: redis.url,
      IDENTITY_URL: standIn.url,
      CLIENT_SECRET: SYSTEM.clientSecret,
      RATE_LIMIT_CLIENT: '0',
      LOG_LEVEL: 'fatal',
    }
  }
}
