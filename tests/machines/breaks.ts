import type { Draw } from '#tests/chaos/draw'
import type { Installation } from './installation.js'
import type { Host } from './network.js'

/** Longer than a primary of PostgreSQL keeps its lease, and a node of RabbitMQ its clients without the majority. */
const LONG_HOLD_MS = 30_000
const HOLD_MS = 15_000
/** A clean switch is over when it has begun. */
const SWITCH_HOLD_MS = 5_000
const CLOCK_AHEAD_S = 300
/** The longest queue of the load. */
const QUEUE = 'telemetryEventTasks'

/** Repairs what was broken, and starts nothing that its manager starts. */
type Repair = () => Promise<void>

type Way = (hosts: readonly Host[], installation: Installation) => Promise<Repair>

/** Something that can break, and the hosts that it is on at the moment. */
interface Target {
  readonly name: string
  readonly holdMs: number
  readonly hosts: (installation: Installation, draw: Draw) => Promise<readonly Host[]>
  /** As an administrator does before the host is maintained. By default, its services are stopped. */
  readonly switchOver?: (installation: Installation) => Promise<void>
  /** Beside those that happen to all. */
  readonly ways?: readonly WayName[]
}

const WAYS = {
  'kill -9': async (hosts, installation) => {
    const units = unitsOn(hosts, installation)
    await Promise.all(units.map((unit) => unit.switchOff()))
    return async () => units.forEach((unit) => unit.switchOn())
  },
  'cut off': async (hosts) => {
    await Promise.all(hosts.map((host) => host.cut()))
    return heal(hosts)
  },
  'cut off one way': async (hosts) => {
    await Promise.all(hosts.map((host) => host.silence()))
    return heal(hosts)
  },
  'cut off from other servers': async (hosts, installation) => {
    const servers = new Set(installation.serverUnits.map(({ host }) => host))
    const others = [...servers.difference(new Set(hosts))]
    await Promise.all(hosts.map((host) => host.separateFrom(others)))
    return heal(hosts)
  },
  'paused': async (hosts, installation) => {
    const units = unitsOn(hosts, installation)
    await Promise.all(units.map((unit) => unit.pause()))
    return async () => units.forEach((unit) => unit.resume())
  },
  'disk full': async (hosts) => {
    await Promise.all(hosts.map((host) => host.fillDisk()))
    return async () => {
      await Promise.all(hosts.map((host) => host.emptyDisk()))
    }
  },
  'clock 5 minutes ahead': async (hosts, installation) => {
    setClock(hosts, installation, CLOCK_AHEAD_S)
    return async () => setClock(hosts, installation, 0)
  },
  'files damaged': async (hosts, { servers }) => {
    await Promise.all(hosts.map((host) => servers.postgres.damage(host)))
    return async () => {}
  },
  'replica of a queue ended': async (hosts, { servers }) => {
    await Promise.all(hosts.map((host) => servers.rabbitmq.endReplica(QUEUE, host)))
    return async () => {}
  },
  'replica of a queue lost': async (hosts, { servers }) => {
    await Promise.all(hosts.map((host) => servers.rabbitmq.loseReplica(QUEUE, host)))
    return async () => {}
  },
} satisfies Record<string, Way>

type WayName = keyof typeof WAYS

/** Programs learn of another clock when they are started again. */
function setClock(hosts: readonly Host[], installation: Installation, seconds: number): void {
  hosts.forEach((host) => host.setClock(seconds))
  unitsOn(hosts, installation).forEach((unit) => unit.stop())
}

const unitsOn = (hosts: readonly Host[], installation: Installation) =>
  hosts.flatMap((host) => installation.unitsOn(host))

const heal = (hosts: readonly Host[]) => async () => {
  await Promise.all(hosts.map((host) => host.heal()))
}

const OF_ALL = [
  'kill -9',
  'cut off',
  'cut off one way',
  'paused',
  'disk full',
  'clock 5 minutes ahead',
] as const

const TARGETS: readonly Target[] = [
  {
    name: 'the primary of PostgreSQL',
    holdMs: LONG_HOLD_MS,
    hosts: async ({ servers }) => [(await servers.postgres.primary()).host],
    switchOver: ({ servers }) => servers.postgres.switchOver(),
    ways: ['cut off from other servers'],
  },
  {
    name: 'the synchronous standby of PostgreSQL',
    holdMs: LONG_HOLD_MS,
    hosts: async ({ servers }) => [(await servers.postgres.synchronousStandby()).host],
    ways: ['files damaged'],
  },
  {
    name: 'the leader of etcd',
    holdMs: HOLD_MS,
    hosts: async ({ servers }) => [(await servers.etcd.leader()).host],
  },
  {
    name: 'the leader of a queue of RabbitMQ',
    holdMs: LONG_HOLD_MS,
    hosts: async ({ servers }) => [(await servers.rabbitmq.leaderOf(QUEUE)).host],
    ways: ['cut off from other servers'],
  },
  {
    name: 'one of three hosts of RabbitMQ',
    holdMs: HOLD_MS,
    hosts: async (installation, draw) => (await followersFirst(installation, draw)).slice(0, 1),
    ways: ['replica of a queue lost'],
  },
  {
    name: 'two of three hosts of RabbitMQ',
    holdMs: HOLD_MS,
    hosts: async (installation, draw) => (await followersFirst(installation, draw)).slice(1),
    ways: ['replica of a queue ended'],
  },
  {
    name: 'the master of Redis',
    holdMs: HOLD_MS,
    hosts: async ({ servers }) => [(await servers.redis.master()).host],
    switchOver: ({ servers }) => servers.redis.switchOver(),
    ways: ['cut off from other servers'],
  },
  {
    name: 'a host of S3',
    holdMs: HOLD_MS,
    hosts: async ({ servers }, draw) => [draw.shuffled(servers.objects.units)[0]!.host],
  },
  {
    name: 'a host of the hub',
    holdMs: HOLD_MS,
    hosts: async ({ programs }, draw) => [draw.shuffled(programs.hubs)[0]!.host],
  },
  {
    name: 'a host of the worker',
    holdMs: HOLD_MS,
    hosts: async ({ programs }, draw) => [draw.shuffled(programs.workers)[0]!.host],
  },
  {
    name: 'the balancer',
    holdMs: 5_000,
    hosts: async ({ programs }) => [programs.balancer.host],
  },
  {
    name: 'a site with one of each',
    holdMs: LONG_HOLD_MS,
    hosts: async ({ servers, programs }) => {
      const { etcd, postgres, rabbitmq, redis, objects } = servers
      const primary = await postgres.primary()
      const at = postgres.units.indexOf(primary)
      const clusters = [etcd.units, postgres.units, rabbitmq.units, redis.servers, objects.units]
      const pairs = [programs.hubs, programs.workers]
      return [
        ...clusters.map((units) => units[at]!.host),
        ...pairs.map((units) => units[at % units.length]!.host),
      ]
    },
  },
]

async function followersFirst({ servers }: Installation, draw: Draw): Promise<Host[]> {
  const leader = (await servers.rabbitmq.leaderOf(QUEUE)).host
  const hosts = servers.rabbitmq.units.map(({ host }) => host)
  return [...draw.shuffled(hosts.filter((host) => host !== leader)), leader]
}

/** A fault, from its beginning to its end. */
export interface Break {
  readonly name: string
  readonly holdMs: number
  /** Resolves to the hosts that it hit, and what ends it. */
  begin(installation: Installation, draw: Draw): Promise<{ hosts: readonly Host[]; repair: Repair }>
}

/** Every target in every way that can happen to it. */
export const BREAKS: readonly Break[] = [
  {
    name: 'nothing, to compare with',
    holdMs: HOLD_MS,
    begin: async () => ({ hosts: [], repair: async () => {} }),
  },
  ...TARGETS.flatMap((target) => [
    switched(target),
    ...[...OF_ALL, ...(target.ways ?? [])].map((way) => broken(target, way)),
  ]),
]

/** One of each kind that clients hardly notice, and those that the checks of the example repair. */
export const SHORT: readonly string[] = [
  'the primary of PostgreSQL: clean switch',
  'the synchronous standby of PostgreSQL: files damaged',
  'the leader of a queue of RabbitMQ: kill -9',
  'one of three hosts of RabbitMQ: replica of a queue lost',
  'two of three hosts of RabbitMQ: replica of a queue ended',
  'a host of the hub: kill -9',
]

function broken({ name, holdMs, hosts: find }: Target, way: WayName): Break {
  return {
    name: `${name}: ${way}`,
    holdMs,
    async begin(installation, draw) {
      const hosts = await find(installation, draw)
      return { hosts, repair: await WAYS[way](hosts, installation) }
    },
  }
}

function switched({ name, hosts: find, switchOver }: Target): Break {
  return {
    name: `${name}: clean switch`,
    holdMs: SWITCH_HOLD_MS,
    async begin(installation, draw) {
      const hosts = await find(installation, draw)
      if (switchOver) {
        await switchOver(installation)
      } else {
        unitsOn(hosts, installation).forEach((unit) => unit.stop())
      }
      return { hosts, repair: async () => {} }
    },
  }
}
