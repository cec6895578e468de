import { randomBytes } from 'node:crypto'

import type { Home } from '#tests/services/servers/home'
import { accepts, planBroker } from '#tests/services/servers/rabbitmq'
import { exampleFor } from './example.js'
import type { Host } from './network.js'
import { checkRepeatedly } from './repeated_check.js'
import { startUnit, type Recipe } from './servers.js'
import type { Unit } from './unit.js'
import { until } from './until.js'

const CONTROL = '/usr/lib/rabbitmq/bin/rabbitmqctl'
/** Calls a function of a running node, which `rabbitmqctl` starts a whole node for. */
const CALL = '/usr/bin/erl_call'
const AMQP_PORT = 5672
const PORT_MAPPER = 4369
const DISTRIBUTION_PORT = 25_672
/** A queue of the hub with its leader, in what RabbitMQ knows of each. */
const LED = /\{'?hub_[^{}[\]]+,\s*\{[^{}]+\},\s*\[/g

interface Shared {
  readonly password: string
  readonly cookie: string
  /** Notes the home of each node, in which `rabbitmqctl` finds the cookie. */
  readonly homes: Map<Host, Home>
}

const recipe = (host: Host, { password, cookie, homes }: Shared): Recipe => ({
  name: 'rabbitmq',
  stopSignal: 'SIGTERM',
  async prepare(home) {
    homes.set(host, home)
    await home.write('.erlang.cookie', cookie)
    const example = await exampleFor('rabbitmq.conf', { host: host.name, password })
    const url = `amqp://hub:${password}@${host.name}:${AMQP_PORT}/hub`
    return planBroker(home, {
      url,
      address: host.address,
      portMapper: PORT_MAPPER,
      distributionPort: DISTRIBUTION_PORT,
      node: `rabbit@${host.name}`,
      configuration: await home.write('rabbitmq.conf', example),
      root: host.root,
      // Its user is created when the cluster is whole.
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
  const file = 'rabbitmq-check'
  void checkRepeatedly({ file, interpreter: '/bin/sh', host: unit.host, home, onFailure })
}

/** RabbitMQ on several hosts with a virtual host whose queues are replicated. */
export class RabbitmqCluster {
  readonly units: readonly Unit[]
  readonly #homes: ReadonlyMap<Host, Home>
  #queues = 0

  static async start(hosts: readonly Host[], password: string): Promise<RabbitmqCluster> {
    const homes = new Map<Host, Home>()
    const shared = { password, cookie: randomBytes(20).toString('hex'), homes }
    const units = await Promise.all(hosts.map((host) => startUnit(host, recipe(host, shared))))
    units.forEach((unit) => check(unit, homes.get(unit.host)!))
    const cluster = new RabbitmqCluster(units, homes)
    await cluster.isWhole()
    await cluster.#createAccount(password)
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

  async #createAccount(password: string): Promise<void> {
    const { host } = this.units[0]!
    await this.#control(host, 'add_vhost', 'hub', '--default-queue-type', 'quorum')
    await this.#control(host, 'add_user', 'hub', password)
    await this.#control(host, 'set_permissions', '--vhost', 'hub', 'hub', '.*', '.*', '.*')
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
