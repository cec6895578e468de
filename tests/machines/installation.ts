import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { parseEnv } from 'node:util'

import { FolderStore } from '#oci/folder/folder_store'
import { LOADED_HUB } from '#tests/drills/upgrade/load'
import { s3VariablesFor } from '#tests/helpers/storage/s3_store'
import { putTinyImage } from '#tests/helpers/worker/tiny_image'
import { startBalancer } from './balancer.js'
import { serversOfDebian } from './debian.js'
import { EtcdCluster } from './etcd.js'
import { Example } from './example.js'
import { startHub } from './hub_service.js'
import { Network, type Host } from './network.js'
import { ObjectHosts } from './object_hosts.js'
import { ownFolder } from './own_network.js'
import { PostgresCluster } from './postgres_cluster.js'
import { RabbitmqCluster } from './rabbitmq_cluster.js'
import { RedisCluster } from './redis_cluster.js'
import type { Unit } from './unit.js'
import { until } from './until.js'

const WORKER_SECRET = randomBytes(24).toString('hex')
const APP_KEY = randomBytes(24).toString('hex')
const ANSWER_MS = 2_000

type Variables = Record<string, string>

interface Servers {
  readonly etcd: EtcdCluster
  readonly postgres: PostgresCluster
  readonly rabbitmq: RabbitmqCluster
  readonly redis: RedisCluster
  readonly objects: ObjectHosts
}

interface Programs {
  readonly balancer: Unit
  readonly hubs: readonly Unit[]
  readonly workers: readonly Unit[]
}

/** The example for three servers, with each server and program on a host of its own. */
export class Installation {
  readonly servers: Servers
  readonly programs: Programs
  readonly example: Example
  readonly origin: string
  /** The address of the hub's database, with all hosts. */
  readonly databaseUrl: string
  readonly brokerUrl: string

  static async start(): Promise<Installation> {
    const folder = ownFolder()
    const network = await Network.open(folder)
    const hosts = await layOut(network)
    const example = await Example.make(join(folder, 'example'))
    const servers = await startServers(hosts, folder, example)
    const settings = new Settings(servers.objects, folder, example)
    const balancer = await startBalancer(hosts.balancer, example)
    await putTinyImage(await FolderStore.open(settings.imagesPath), 'master/python/base')
    const hubs: Unit[] = []
    // The first one makes the tables.
    for (const each of hosts.hubs) {
      hubs.push(await startHub(each, await settings.ofHub(each), logOf(each)))
    }
    const startWorker = async (each: Host) =>
      startHub(each, await settings.ofWorker(each), logOf(each))
    const workers = await Promise.all(hosts.workers.map(startWorker))
    return new Installation(
      servers,
      { balancer, hubs, workers },
      example,
      await settings.ofHub(hosts.hubs[0]!)
    )
  }

  private constructor(servers: Servers, programs: Programs, example: Example, settings: Variables) {
    this.servers = servers
    this.programs = programs
    this.example = example
    this.origin = settings.PUBLIC_URL!
    this.databaseUrl = settings.DATABASE_URL!
    this.brokerUrl = settings.AMQP_URL!
  }

  /** Everything that can break. */
  get units(): readonly Unit[] {
    const { balancer, hubs, workers } = this.programs
    return [...this.serverUnits, balancer, ...hubs, ...workers]
  }

  get serverUnits(): readonly Unit[] {
    const { etcd, postgres, rabbitmq, redis, objects } = this.servers
    return [etcd, postgres, rabbitmq, redis, objects].flatMap(({ units }) => units)
  }

  unitsOn(host: Host): Unit[] {
    return this.units.filter((unit) => unit.host === host)
  }

  /** Waits until nothing is missing any more, without any help. */
  async isWhole(): Promise<void> {
    const { etcd, postgres, rabbitmq, redis } = this.servers
    await until('all services run', () => this.units.every(({ isRunning }) => isRunning))
    await Promise.all([etcd.leader(), postgres.isWhole(), rabbitmq.isWhole(), redis.isWhole()])
    const hubs = [...this.programs.hubs, ...this.programs.workers]
    await Promise.all(
      hubs.map(({ name, host }) => until(`the ${name} is ready`, () => isReady(host)))
    )
  }

  async stop(): Promise<void> {
    const { balancer, hubs, workers } = this.programs
    await Promise.all([...hubs, ...workers, balancer].map((unit) => unit.remove()))
    await Promise.all(this.units.map((unit) => unit.remove()))
  }
}

const logOf = ({ name }: Host) => join(ownFolder(), `${name}.log`)

async function isReady({ name }: Host): Promise<boolean> {
  const signal = AbortSignal.timeout(ANSWER_MS)
  const response = await fetch(`http://${name}:3009/health/ready`, { signal })
  return ((await response.json()) as { status: string }).status === 'ok'
}

async function layOut(network: Network) {
  const servers = await network.unpack(await serversOfDebian())
  const [balancer] = await network.add(['balancer'], servers)
  return {
    balancer: balancer!,
    etcd: await network.add(['etcd1', 'etcd2', 'etcd3'], servers),
    postgres: await network.add(['db1', 'db2', 'db3'], servers),
    rabbitmq: await network.add(['mq1', 'mq2', 'mq3'], servers),
    redis: await network.add(['cache1', 'cache2', 'cache3'], servers),
    objects: await network.add(['s3a', 's3b', 's3c']),
    hubs: await network.add(['hub1', 'hub2']),
    workers: await network.add(['worker1', 'worker2']),
  }
}

async function startServers(
  hosts: Awaited<ReturnType<typeof layOut>>,
  folder: string,
  example: Example
): Promise<Servers> {
  const etcd = await EtcdCluster.start(hosts.etcd, example)
  const [postgres, rabbitmq, redis, objects] = await Promise.all([
    PostgresCluster.start(hosts.postgres, example),
    RabbitmqCluster.start(hosts.rabbitmq, example),
    RedisCluster.start(hosts.redis, example),
    ObjectHosts.start(hosts.objects, join(folder, 'objects')),
  ])
  return { etcd, postgres, rabbitmq, redis, objects }
}

/** The environment of the hubs and workers. */
class Settings {
  readonly imagesPath: string
  readonly #objects: ObjectHosts
  readonly #example: Example

  constructor(objects: ObjectHosts, folder: string, example: Example) {
    this.#objects = objects
    this.#example = example
    this.imagesPath = join(folder, 'images')
  }

  async ofHub(host: Host): Promise<Variables> {
    return {
      ...this.#common,
      ...LOADED_HUB,
      ...s3VariablesFor(this.#objects.url),
      ...(await this.#variablesOf(host, 'hub.env')),
      JOBS: 'bus,outbox,sweeps',
      IDENTITY_ADMIN_PASSWORD: 'start123',
      WORKER_CLIENT_SECRET: WORKER_SECRET,
    }
  }

  async ofWorker(host: Host): Promise<Variables> {
    return {
      ...this.#common,
      ...(await this.#variablesOf(host, 'worker.env')),
      WORKER_CLIENT_SECRET: WORKER_SECRET,
      WORKER_PATH: join(host.disk, 'worker'),
    }
  }

  get #common(): Variables {
    return { APP_KEY, IMAGES_PATH: this.imagesPath, LOG_LEVEL: 'warn' }
  }

  async #variablesOf(host: Host, file: string): Promise<Variables> {
    return parseEnv(await this.#example.file(host, file)) as Variables
  }
}
