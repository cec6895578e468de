import type { Channel, ChannelModel, Options, Replies } from 'amqplib'

import { SINGLE_ACTIVE_CONSUMER } from '#bus/amqp/subscription'
import { COMMAND_QUEUES } from '#bus/names'

const ARGUMENTS_DIFFER = 406

/** The queues that an installation uses: those of commands, and those that its surfaces consume. */
export const namesOfQueues = (consumed: readonly string[]): string[] => [
  ...new Set([...Object.values<string>(COMMAND_QUEUES), ...consumed]),
]

/** Undefined if the queue does not exist. */
export async function queueState(
  connection: ChannelModel,
  name: string
): Promise<Replies.AssertQueue | undefined> {
  const state = await onChannel(connection, (channel) => channel.checkQueue(name))
  return state instanceof Error ? undefined : state
}

/**
 * The broker's description of how an existing queue differs from its declaration with these arguments, if it does.
 * Queues of events have a single active consumer.
 */
export async function queueDifference(
  connection: ChannelModel,
  name: string,
  given: Readonly<Record<string, string>> = {}
): Promise<string | undefined> {
  const plain = await declare(connection, name, { arguments: given })
  return plain?.includes(Object.keys(SINGLE_ACTIVE_CONSUMER)[0]!)
    ? declare(connection, name, { arguments: { ...SINGLE_ACTIVE_CONSUMER, ...given } })
    : plain
}

async function declare(
  connection: ChannelModel,
  name: string,
  options: Options.AssertQueue
): Promise<string | undefined> {
  const declared = await onChannel(connection, (channel) =>
    channel.assertQueue(name, { durable: true, ...options })
  )
  const differs =
    declared instanceof Error && (declared as { code?: number }).code === ARGUMENTS_DIFFER
  return differs
    ? (/inequivalent .*?(?="?$)/.exec(declared.message)?.[0] ?? 'otherwise')
    : undefined
}

/** Each question has its own channel, since an error closes it. */
async function onChannel<T>(
  connection: ChannelModel,
  operation: (channel: Channel) => Promise<T>
): Promise<T | Error> {
  const channel = await connection.createChannel()
  channel.on('error', () => {})
  try {
    const answer = await operation(channel)
    await channel.close()
    return answer
  } catch (error) {
    return error as Error
  }
}
