import { s3VariablesFor } from '#tests/helpers/storage/s3_store'
import { HubProcesses } from '#tests/helpers/hub_processes'
import { freePort } from '#tests/services/servers/free_port'
import { startPostgres } from '#tests/services/servers/postgres'
import { startRabbitmq } from '#tests/services/servers/rabbitmq'
import { startRadosgw } from '#tests/services/servers/radosgw'
import type { RealServer } from '#tests/services/servers/real_server'
import { startRedis } from '#tests/services/servers/redis'

export const SHAPES = ['one process', 'four processes'] as const
export type Shape = (typeof SHAPES)[number]

const SURFACES = ['core', 'storage', 'telemetry', 'messenger'] as const
type Surface = (typeof SURFACES)[number]

/** The provider is asked like a surface. */
export type Service = Surface | 'auth'

const SECRET = 'the-secret-of-the-platform-in-this-test'

/** An installation that is talked to over the network only, by people, nodes and a worker. */
export class LifeInstallation {
  readonly broker: RealServer
  /** What the worker of the platform logs in with. */
  readonly worker = { client_id: 'system', client_secret: SECRET }
  readonly #addresses: Readonly<Record<Service, string>>
  readonly #programs: readonly HubProcesses[]
  readonly #servers: readonly RealServer[]

  static async start(shape: Shape): Promise<LifeInstallation> {
    return shape === 'one process' ? startedAsOne() : startedAsFour()
  }

  constructor(
    addresses: Readonly<Record<Service, string>>,
    programs: readonly HubProcesses[],
    servers: readonly [RealServer, ...RealServer[]]
  ) {
    this.#addresses = addresses
    this.#programs = programs
    this.#servers = servers
    this.broker = servers[0]
  }

  at(service: Service, path: string): string {
    return this.#addresses[service] + path
  }

  async stop(): Promise<void> {
    await Promise.all(this.#programs.map((program) => program.remove()))
    await Promise.all(this.#servers.map((server) => server.stop()))
  }
}

/** The worker of these installations is one of somebody else. */
const COMMON = {
  JOBS: 'bus,outbox,sweeps',
  CLIENT_ID: 'system',
  CLIENT_SECRET: SECRET,
  RATE_LIMIT_USER: '0',
}

async function startedAsOne(): Promise<LifeInstallation> {
  const broker = await startRabbitmq()
  const variables = { ...COMMON, AMQP_URL: broker.url }
  const program = await HubProcesses.start('server', { variables })
  const addresses = Object.fromEntries(
    [...SURFACES, 'auth'].map((service) => [service, `${program.origin}/${service}`])
  ) as Record<Service, string>
  return new LifeInstallation(addresses, [program], [broker])
}

/** One surface each, and a provider elsewhere. */
async function startedAsFour(): Promise<LifeInstallation> {
  const servers = await Promise.all([
    startRabbitmq(),
    startRedis(),
    startPostgres(),
    startRadosgw(),
  ])
  const [broker, redis, database, objects] = servers
  const provider = await HubProcesses.start('server', {
    variables: { ...COMMON, SURFACES: 'identity' },
  })
  const ports = await Promise.all(SURFACES.map(async (name) => [name, await freePort()] as const))
  const addresses = Object.fromEntries(
    ports.map(([name, port]) => [name, `http://127.0.0.1:${port}`])
  ) as Record<Surface, string>
  const shared = {
    ...COMMON,
    ...s3VariablesFor(objects.url),
    APP_KEY: 'a-key-for-tests-that-is-long-enough-000',
    IDENTITY_URL: provider.origin,
    DATABASE_URL: database.url,
    AMQP_URL: broker.url,
    REDIS_URL: redis.url,
    ...Object.fromEntries(SURFACES.map((name) => [`${name.toUpperCase()}_URL`, addresses[name]])),
  }
  const start = ([name, port]: (typeof ports)[number]) => {
    const own = { SURFACES: name, PORT: String(port), PUBLIC_URL: addresses[name] }
    return HubProcesses.start('server', { variables: { ...shared, ...own } })
  }
  const programs = await Promise.all(ports.map(start))
  const services = { ...addresses, auth: provider.origin }
  return new LifeInstallation(services, [provider, ...programs], servers)
}
