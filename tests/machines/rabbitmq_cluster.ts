import { join } from 'node:path'

import type { Home } from '#tests/services/servers/home'
import { accepts, planBroker } from '#tests/services/servers/rabbitmq'
import type { Example } from './example.js'
import type { Host } from './network.js'
import { checkRepeatedly } from './repeated_check.js'
import { startUnit, type Recipe } from './servers.js'
import type { Unit } from './unit.js'
import { until } from './until.js'

const PROGRAMS = '/usr/lib/rabbitmq/bin'
const CONTROL = `${PROGRAMS}/rabbitmqctl`
/** Calls a function of a running node, which `rabbitmqctl` starts a whole node for. */
const CALL = '/usr/bin/erl_call'
const AMQP_PORT = 5672
const CHECK = 'rabbitmq-check'
const ACCOUNTS = 'rabbitmq-accounts'
const PORT_MAPPER = 4369
const DISTRIBUTION_PORT = 25_672
/** A queue of the hub with its leader, in what RabbitMQ knows of each. */
const LED = /\{'?hub_[^{}[\]]+,\s*\{[^{}]+\},\s*\[/g

interface Shared {
  readonly example: Example
  /** Notes the home of each node, in which `rabbitmqctl` finds the cookie. */
  readonly homes: Map<Host, Home>
}

const recipe = (host: Host, { example, homes }: Shared): Recipe => ({
  name: 'rabbitmq',
  stopSignal: 'SIGTERM',
  async prepare(home) {
    homes.set(host, home)
    await home.write('.erlang.cookie', await example.file(host, 'erlang.cookie'))
    await example.lay(home, host, ['rabbitmq.conf', CHECK, ACCOUNTS, 'worker-account'])
    return planBroker(home, {
      // Nobody has an account there yet.
      url: `amqp://${host.name}:${AMQP_PORT}`,
      address: host.address,
      portMapper: PORT_MAPPER,
      distributionPort: DISTRIBUTION_PORT,
      node: `rabbit@${host.name}`,
      configuration: join(home.path, 'rabbitmq.conf'),
      root: host.root,
      isReady: () => accepts(AMQP_PORT, host.address),
    })
  },
})

const replicaOf = (queue: string, { name }: Host) => `{hub_${queue},rabbit@${name}}`

/** Ends a node that the check of the example fails for, after which it is started again. */
function check(unit: Unit, home: Home): void {
  const onFailure = () => {
    if (unit.isRunning) {
      unit.crash()
    }
  }
  const script = join(home.path, CHECK)
  void checkRepeatedly({ script, interpreter: '/bin/sh', home, onFailure })
}

/** RabbitMQ on several hosts with a virtual host whose queues are replicated. */
export class RabbitmqCluster {
  readonly units: readonly Unit[]
  readonly #homes: ReadonlyMap<Host, Home>
  #queues = 0

  static async start(hosts: readonly Host[], example: Example): Promise<RabbitmqCluster> {
    const homes = new Map<Host, Home>()
    const shared = { example, homes }
    const units = await Promise.all(hosts.map((host) => startUnit(host, recipe(host, shared))))
    units.forEach((unit) => check(unit, homes.get(unit.host)!))
    const cluster = new RabbitmqCluster(units, homes)
    await cluster.isWhole()
    await cluster.#createAccounts()
    return cluster
  }

  private constructor(units: readonly Unit[], homes: ReadonlyMap<Host, Home>) {
    this.units = units
    this.#homes = homes
  }

  /** Waits until all nodes run, know of each other, and each of them knows the leaders of all queues and has a replica of them. */
  async isWhole(): Promise<void> {
    await until('the nodes of RabbitMQ know each other', async () => {
      await Promise.all(this.units.map(({ host }) => accepts(AMQP_PORT, host.address)))
      const views = await Promise.all(this.units.map(({ host }) => this.#runningNodes(host)))
      return (
        views.every((nodes) => nodes.length === this.units.length) &&
        (await this.#isReplicating()) &&
        (await this.#everyQueueIsLed()) &&
        (await this.#everyReplicaRuns())
      )
    })
  }

  /** The unit that leads a queue. */
  leaderOf(queue: string): Promise<Unit> {
    return until(`a node leads the queue ${queue}`, async () => {
      const { host } = this.units.find(({ isRunning }) => isRunning)!
      const text = await this.#call(host, `ra_leaderboard lookup_leader [hub_${queue}]`)
      return this.units.find((unit) => text.includes(`rabbit@${unit.host.name}}`))
    })
  }

  /** Ends the replica of a queue on one node. */
  async endReplica(queue: string, host: Host): Promise<void> {
    await this.#call(host, `ra stop_server [quorum_queues,${replicaOf(queue, host)}]`)
  }

  /** Ends the replica of a queue on one node and removes its files. */
  async loseReplica(queue: string, host: Host): Promise<void> {
    await this.#call(host, `ra force_delete_server [quorum_queues,${replicaOf(queue, host)}]`)
  }

  /** Fails if a queue is on one node only. */
  async expectReplicatedQueues(): Promise<void> {
    const types = '[amqqueue:get_type(Q) || Q <- rabbit_amqqueue:list(<<"hub">>)].'
    const text = await this.#control(this.units[0]!.host, 'eval', types)
    const all = text.match(/rabbit_\w+_queue/g) ?? []
    if (all.length === 0 || all.some((type) => type !== 'rabbit_quorum_queue')) {
      throw new Error(`Not all queues are replicated: ${text}`)
    }
  }

  async #createAccounts(): Promise<void> {
    const { host } = this.units[0]!
    const home = this.#homes.get(host)!
    await home.run('/bin/sh', [join(home.path, ACCOUNTS)], {
      PATH: `${PROGRAMS}:/usr/bin:/bin`,
      RABBITMQ_NODENAME: `rabbit@${host.name}`,
    })
  }

  /** The nodes that one of them works with. */
  async #runningNodes(host: Host): Promise<string[]> {
    return (await this.#call(host, 'rabbit_nodes list_running []')).match(/rabbit@\w+/g) ?? []
  }

  async #isReplicating(): Promise<boolean> {
    const calls = this.units.map(({ host }) => this.#call(host, 'erlang whereis [ra_log_wal]'))
    return (await Promise.all(calls)).every((process) => process.startsWith('<'))
  }

  async #everyQueueIsLed(): Promise<boolean> {
    const calls = this.units.map(({ host }) => this.#call(host, 'ets tab2list [ra_leaderboard]'))
    const led = (await Promise.all(calls)).map((text) => text.match(LED)?.length ?? 0)
    this.#queues = Math.max(this.#queues, ...led)
    return led.every((queues) => queues === this.#queues)
  }

  async #everyReplicaRuns(): Promise<boolean> {
    const call = 'supervisor count_children [ra_server_sup_sup]'
    const calls = this.units.map(({ host }) => this.#call(host, call))
    const texts = await Promise.all(calls)
    return texts.every((text) => text.includes(`{active, ${this.#queues}}`))
  }

  #call(host: Host, functionAndArguments: string): Promise<string> {
    const args = ['-r', '-sname', `rabbit@${host.name}`, '-a', functionAndArguments]
    return this.#homes.get(host)!.run(CALL, args)
  }

  #control(host: Host, ...args: string[]): Promise<string> {
    const node = ['--node', `rabbit@${host.name}`, '--timeout', '60', '--quiet']
    return this.#homes.get(host)!.run(CONTROL, [...node, ...args])
  }
}
