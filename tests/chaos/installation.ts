import { HubProcesses } from '#tests/helpers/hub_processes'
import { freePort } from '#tests/services/servers/free_port'
import { startPostgres } from '#tests/services/servers/postgres'
import { startRabbitmq } from '#tests/services/servers/rabbitmq'
import type { RealServer } from '#tests/services/servers/real_server'
import { startRedis } from '#tests/services/servers/redis'

export const VICTIMS = ['web', 'jobs', 'broker', 'redis', 'database'] as const
export type Victim = (typeof VICTIMS)[number]

const PROGRAMS = {
  web: { JOBS: 'none' },
  jobs: { SURFACES: 'none', JOBS: 'bus,outbox' },
} as const
type ProgramName = keyof typeof PROGRAMS

interface Servers {
  readonly broker: RealServer
  readonly redis: RealServer
  readonly database: RealServer
}

/**
 * A whole installation of real processes, each of which can be killed and started again where it was: one that answers
 * requests, one that works in the background, and the servers both lean on.
 */
export class Installation {
  readonly servers: Servers
  readonly origin: string
  readonly #variables: Record<string, string>
  readonly #programs = new Map<ProgramName, HubProcesses>()

  /** Starts the servers and what answers requests; background work begins with `revive('jobs')`. */
  static async start(): Promise<Installation> {
    const [broker, redis, database, port] = await Promise.all([
      startRabbitmq(),
      startRedis(),
      startPostgres(),
      freePort(),
    ])
    const installation = new Installation({ broker, redis, database }, port)
    try {
      await installation.revive('web')
      return installation
    } catch (error) {
      await installation.stop()
      throw error
    }
  }

  private constructor(servers: Servers, port: number) {
    this.servers = servers
    this.origin = `http://127.0.0.1:${port}`
    this.#variables = {
      APP_KEY: 'a-key-for-tests-that-is-long-enough-000',
      PORT: String(port),
      PUBLIC_URL: this.origin,
      DATABASE_URL: servers.database.url,
      AMQP_URL: servers.broker.url,
      REDIS_URL: servers.redis.url,
      RATE_LIMIT_USER: '0',
    }
  }

  /** SIGKILL; resolves when nothing is left of it. */
  async kill(victim: Victim): Promise<void> {
    if (isProgram(victim)) {
      await this.#programs.get(victim)!.remove()
    } else {
      await this.servers[victim].kill()
    }
  }

  /** Restarts a killed process; resolves when it is ready. */
  async revive(victim: Victim): Promise<void> {
    if (isProgram(victim)) {
      const variables = { ...this.#variables, ...PROGRAMS[victim] }
      this.#programs.set(victim, await HubProcesses.start('server', { variables }))
    } else {
      await this.servers[victim].restart()
    }
  }

  /** Ends background work in good order: what was not handled goes back to its queue. */
  async retire(): Promise<void> {
    const jobs = this.#programs.get('jobs')!
    jobs.signal('SIGTERM')
    await jobs.exit
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#programs.values()].map((program) => program.remove()))
    await Promise.all(Object.values(this.servers).map((server) => server.stop()))
  }
}

function isProgram(victim: Victim): victim is ProgramName {
  return Object.hasOwn(PROGRAMS, victim)
}
