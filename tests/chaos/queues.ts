import { connect, type ChannelModel } from 'amqplib'

const QUEUES = ['telemetryEventTasks', 'telemetryEventTasks.dead', 'chaos.observer']
const NO_SUCH_QUEUE = 404

/** Queues that are not empty after all messages were acknowledged or requeued. */
export async function remainingIn(brokerUrl: string): Promise<string[]> {
  const connection = await connect(brokerUrl)
  try {
    const counts: string[] = []
    for (const queue of QUEUES) {
      const count = await messagesIn(connection, queue)
      counts.push(...(count > 0 ? [`${count} left in the queue ${queue}`] : []))
    }
    return counts
  } finally {
    await connection.close()
  }
}

async function messagesIn(connection: ChannelModel, queue: string): Promise<number> {
  const channel = await connection.createChannel()
  channel.on('error', () => {})
  try {
    const { messageCount } = await channel.checkQueue(queue)
    await channel.close()
    return messageCount
  } catch (error) {
    if ((error as { code?: unknown }).code === NO_SUCH_QUEUE) {
      return 0
    }
    throw error
  }
}
