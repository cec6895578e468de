import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'

import type { ChannelModel } from 'amqplib'

import { connectOnce } from '#bus/amqp/connect_once'
import { NOT_USED, type Check } from '#doctor/check'
import { finding, type Finding } from '#doctor/finding'
import { namesOfQueues, queueDifference, queueState } from '#doctor/queues'
import { reasonOf } from '#doctor/reason'

const OLDEST = [3, 8]
const CONNECT_MS = 5_000
/** A broker that blocks publishers notifies a connection when it publishes. */
const BLOCKED_WITHIN_MS = 500
const UNROUTABLE_KEY = 'analysis-hub-doctor-nobody'

/** Checks that the broker accepts messages and that its queues are durable. */
export const brokerCheck: Check = {
  name: 'broker',
  async run({ env, queues }) {
    if (!env.AMQP_URL) {
      return NOT_USED
    }
    let connection: ChannelModel
    try {
      connection = await connectOnce(env.AMQP_URL, { timeout: CONNECT_MS })
    } catch (error) {
      return [finding('BROKER_UNREACHABLE', reasonOf(error))]
    }
    connection.on('error', () => {})
    try {
      const blocked = await blockedFindings(env.AMQP_URL)
      const found = await Promise.all(
        namesOfQueues(queues).map((name) => queueFindings(connection, name))
      )
      return [...versionFindings(connection), ...blocked, ...found.flat()]
    } finally {
      await connection.close().catch(() => {})
    }
  },
}

function versionFindings({ connection }: ChannelModel): Finding[] {
  const { version } = connection.serverProperties
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const isOld = major < OLDEST[0]! || (major === OLDEST[0] && minor < OLDEST[1]!)
  return isOld ? [finding('BROKER_OLD', version)] : []
}

/** Uses a connection of its own, which is aborted: a blocked broker no longer reads from a publisher. */
async function blockedFindings(url: string): Promise<Finding[]> {
  const stop = new AbortController()
  const options = { timeout: CONNECT_MS, signal: stop.signal }
  const connection = await connectOnce(url, options)
  connection.on('error', () => {})
  const isBlocked = once(connection, 'blocked').then(([reason]) => [
    finding('BROKER_BLOCKED', String(reason)),
  ])
  try {
    const channel = await connection.createChannel()
    channel.publish('', UNROUTABLE_KEY, Buffer.alloc(0))
    return await Promise.race([isBlocked, delay(BLOCKED_WITHIN_MS, [])])
  } finally {
    isBlocked.catch(() => {})
    stop.abort()
  }
}

/** The hub creates missing queues. */
async function queueFindings(connection: ChannelModel, name: string): Promise<Finding[]> {
  const state = await queueState(connection, name)
  if (!state) {
    return []
  }
  const difference = await queueDifference(connection, name)
  const isUnconsumed = state.messageCount > 0 && state.consumerCount === 0
  return [
    ...(difference ? [finding('BROKER_QUEUE_NOT_DURABLE', `${name}, ${difference}`)] : []),
    ...(isUnconsumed
      ? [finding('BROKER_QUEUE_NOT_TAKEN', `${state.messageCount} in ${name}`)]
      : []),
  ]
}
