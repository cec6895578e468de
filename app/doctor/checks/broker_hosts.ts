import type { ChannelModel } from 'amqplib'

import { connectOnce } from '#bus/amqp/connect_once'
import { urlsByHost } from '#configuration/urls_by_host'
import { NOT_USED, type Check } from '#doctor/check'
import { finding, type Finding } from '#doctor/finding'
import { namesOfQueues, queueDifference, queueState } from '#doctor/queues'
import { reasonOf } from '#doctor/reason'

const CONNECT_MS = 5_000
const QUEUE_TYPE = 'x-queue-type'

/** Checks that the hosts of the broker are one cluster that replicates its queues. */
export const brokerHostsCheck: Check = {
  name: 'broker hosts',
  async run({ env, queues }) {
    const urls = urlsByHost(env.AMQP_URL ?? '')
    if (urls.length === 1) {
      return NOT_USED
    }
    const attempts = await Promise.all(urls.map(connectTo))
    const connections = attempts.filter((attempt) => 'connection' in attempt)
    try {
      return [
        ...attempts.filter((attempt) => 'code' in attempt),
        ...clusterFindings(connections),
        ...(connections[0] ? await typeFindings(connections[0], namesOfQueues(queues)) : []),
      ]
    } finally {
      await Promise.all(connections.map((connection) => connection.close().catch(() => {})))
    }
  },
}

async function connectTo(url: string): Promise<ChannelModel | Finding> {
  try {
    const connection = await connectOnce(url, { timeout: CONNECT_MS })
    connection.on('error', () => {})
    return connection
  } catch (error) {
    return finding('BROKER_HOST_AWAY', `${new URL(url).host}, ${reasonOf(error)}`)
  }
}

function clusterFindings(connections: readonly ChannelModel[]): Finding[] {
  const names = new Set(connections.map(clusterOf))
  return names.size > 1 ? [finding('BROKER_CLUSTERS', [...names].join(', '))] : []
}

const clusterOf = ({ connection }: ChannelModel): string =>
  String((connection.serverProperties as { cluster_name?: unknown }).cluster_name)

async function typeFindings(
  connection: ChannelModel,
  names: readonly string[]
): Promise<Finding[]> {
  const areClassic = await Promise.all(names.map((name) => isClassic(connection, name)))
  const classic = names.filter((_name, n) => areClassic[n])
  return classic.length > 0 ? [finding('BROKER_QUEUE_CLASSIC', classic.join(', '))] : []
}

/** A missing queue gets the default type of its virtual host, which AMQP does not report. */
async function isClassic(connection: ChannelModel, name: string): Promise<boolean> {
  if (!(await queueState(connection, name))) {
    return false
  }
  const difference = await queueDifference(connection, name, { [QUEUE_TYPE]: 'quorum' })
  return difference?.includes(QUEUE_TYPE) ?? false
}
