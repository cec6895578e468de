import { AmqpDeadLetters } from '#bus/amqp/amqp_dead_letters'
import { NOT_USED, type Check } from '#doctor/check'
import { finding } from '#doctor/finding'
import type { CheckContext } from '#doctor/check_context'

/** Checks for dead letters. */
export const deadLettersCheck: Check = {
  name: 'dead letters',
  async run(context) {
    if (!context.env.AMQP_URL && context.databases.length === 0) {
      return NOT_USED
    }
    const counts = await countsOf(context)
    return [...counts]
      .filter(([, count]) => count > 0)
      .map(([queue, count]) => finding('DEAD_LETTERS', `${count} of ${queue}`))
  },
}

async function countsOf({ env, queues, databases }: CheckContext) {
  if (env.AMQP_URL) {
    // The broker check reports an unavailable broker.
    return new AmqpDeadLetters(env.AMQP_URL).counts(queues).catch(() => new Map<string, number>())
  }
  const found = await Promise.all(
    databases.map(({ pool }) =>
      pool.query<{ queue: string; count: number }>(
        'select queue, count(*)::int as count from dead_letters group by queue order by queue'
      )
    )
  )
  return new Map(found.flatMap(({ rows }) => rows.map(({ queue, count }) => [queue, count])))
}
