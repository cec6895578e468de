import { NOT_USED, type Check } from '#doctor/check'
import { finding, type Finding } from '#doctor/finding'
import { reasonOf } from '#doctor/reason'
import type { CheckContext } from '#doctor/check_context'
import { connectRedis, ONE_ATTEMPT } from '#signals/redis'

/** Counts the machines that are connected with the platform's application name. */
const MACHINES = `select count(distinct client_addr)::int as machines from pg_stat_activity
  where datname = current_database() and application_name = 'analysis-hub'`

/** Checks that processes can notify each other. */
export const redisCheck: Check = {
  name: 'redis',
  async run(context) {
    const { env } = context
    if (!env.REDIS_URL) {
      return withoutRedis(context)
    }
    let connectionError: Error | undefined
    const redis = await connectRedis(
      env.REDIS_URL,
      (error) => (connectionError = error),
      ONE_ATTEMPT
    )
    try {
      await redis.connect()
      return checkEviction(await redis.info())
    } catch (error) {
      return [finding('REDIS_UNREACHABLE', reasonOf(connectionError ?? error))]
    } finally {
      redis.disconnect()
    }
  },
}

async function withoutRedis({ databases }: CheckContext) {
  const counted = await Promise.all(
    databases.map(({ pool }) => pool.query<{ machines: number }>(MACHINES))
  )
  const machines = Math.max(0, ...counted.map(({ rows }) => rows[0]!.machines))
  return machines > 1 ? [finding('REDIS_NEEDED', `${machines} of them`)] : NOT_USED
}

function checkEviction(info: string): Finding[] {
  const policy = /^maxmemory_policy:(\S+)/m.exec(info)?.[1] ?? 'noeviction'
  const maxMemory = Number(/^maxmemory:(\d+)/m.exec(info)?.[1] ?? 0)
  return policy === 'noeviction' || maxMemory === 0
    ? []
    : [finding('REDIS_EVICTS', `maxmemory-policy is ${policy}`)]
}
