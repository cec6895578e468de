import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { glob, symlink } from 'node:fs/promises'
import { connect as connectSocket } from 'node:net'
import { basename, join } from 'node:path'
import { connect } from 'amqplib'

import { freePort } from './free_port.js'
import type { Home } from './home.js'
import { PACKAGES } from './packages.js'
import { RealServer, type Plan, type Recipe } from './real_server.js'

const USER = 'hub'
const APPLICATIONS = 'usr/lib/rabbitmq/lib/rabbitmq_server-*/plugins/*-*'

/**
 * Erlang is started without the script of the package, so that the process is the server itself and gets its signals.
 * Its idle schedulers spin by default, which on two cores takes the time from what is tested.
 */
const erlangArguments = (address: string) => [
  ...['-noinput', '-boot', 'start_sasl', '-s', 'rabbit', 'boot'],
  ...['+W', 'w', '+sbwt', 'none', '+sbwtdcpu', 'none', '+sbwtdio', 'none'],
  ...['-kernel', 'inet_dist_use_interface', `{${address.split('.').join()}}`],
  ...['-syslog', 'logger', '[]', '-syslog', 'syslog_error_logger', 'false'],
]

interface RabbitMqOptions {
  /** More lines for its configuration. */
  readonly settings?: readonly string[]
  /** That of another node, so that one address names both. */
  readonly password?: string
}

const recipe = ({ settings = [], password = newPassword() }: RabbitMqOptions): Recipe => ({
  name: 'rabbitmq',
  packages: PACKAGES.rabbitmq,
  account: 'rabbitmq',
  stopSignal: 'SIGTERM',
  async prepare(home) {
    const port = await freePort()
    const portMapper = await freePort()
    const url = `amqp://${USER}:${password}@127.0.0.1:${port}`
    const configuration = await home.write(
      'rabbitmq.conf',
      [
        `listeners.tcp.1 = 127.0.0.1:${port}`,
        `default_user = ${USER}`,
        `default_pass = ${password}`,
        ...settings,
      ].join('\n')
    )
    return planBroker(home, {
      url,
      address: '127.0.0.1',
      portMapper,
      distributionPort: await freePort(),
      node: 'hub@localhost',
      configuration,
    })
  },
})

interface BrokerNode {
  readonly url: string
  /** That it listens on for other nodes. */
  readonly address: string
  readonly portMapper: number
  readonly distributionPort: number
  readonly node: string
  /** The file of its settings. */
  readonly configuration: string
  /** Of the file system that it is installed in and runs in. */
  readonly root?: string
  /** What is as good as an answer to a client; by default that one connects. */
  readonly isReady?: () => Promise<unknown>
}

/** How a node of RabbitMQ is run with a file of settings. */
export async function planBroker(home: Home, broker: BrokerNode): Promise<Plan> {
  const { url, address, isReady = () => openAndClose(url) } = broker
  const env = await surroundings(home, broker)
  return {
    url,
    async boot() {
      // One that Erlang starts by itself turns into a daemon and stays behind.
      await home.spawn('/usr/bin/epmd', ['-address', address, '-port', env.ERL_EPMD_PORT])
      await home.until(() => accepts(broker.portMapper, address))
      await home.spawn('/usr/bin/erl', erlangArguments(address), env)
      await home.until(isReady)
    },
  }
}

const newPassword = () => randomBytes(24).toString('hex')

async function surroundings(home: Home, broker: BrokerNode) {
  const applications = await linkApplications(home, broker.root)
  return {
    ERL_EPMD_PORT: String(broker.portMapper),
    ERL_LIBS: applications,
    RABBITMQ_CONFIG_FILE: broker.configuration,
    RABBITMQ_CONF_ENV_FILE: '/dev/null',
    RABBITMQ_DIST_PORT: String(broker.distributionPort),
    RABBITMQ_ENABLED_PLUGINS_FILE: await home.write('enabled_plugins', '[].'),
    RABBITMQ_LOG_BASE: home.path,
    RABBITMQ_LOGS: '-',
    RABBITMQ_MNESIA_BASE: await home.makeFolder('data'),
    RABBITMQ_NODENAME: broker.node,
    RABBITMQ_PLUGINS_DIR: applications,
  }
}

/**
 * The server without its optional plugins. Erlang looks for every module in every application folder: with the plugins in
 * its path that is 50,000 failed lookups and half of a start (6.3 s against 3.0 s).
 */
async function linkApplications(home: Home, root = '/'): Promise<string> {
  const folder = await home.makeFolder('applications')
  for await (const application of glob(APPLICATIONS, { cwd: root })) {
    const name = basename(application)
    if (!name.startsWith('rabbitmq_') || name.startsWith('rabbitmq_prelaunch-')) {
      await symlink(join('/', application), join(folder, name))
    }
  }
  return folder
}

/** Resolves when a port accepts connections. */
export async function accepts(port: number, address: string): Promise<void> {
  const socket = connectSocket(port, address)
  try {
    await once(socket, 'connect')
  } finally {
    socket.destroy()
  }
}

async function openAndClose(url: string): Promise<void> {
  const connection = await connect(url, { timeout: 5000 })
  await connection.close()
}

/** A RabbitMQ node of the test's own, without plugins; its user may do everything on the virtual host `/`. */
export function startRabbitmq(options: RabbitMqOptions = {}): Promise<RealServer> {
  return RealServer.start(recipe(options))
}
