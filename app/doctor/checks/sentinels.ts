import type { RedisOptions } from 'ioredis'

import { NOT_USED, type Check } from '#doctor/check'
import { finding, type Finding } from '#doctor/finding'
import { reasonOf } from '#doctor/reason'
import { hostText, type HostAddress } from '#kernel/host_resolver'
import { connectRedis, ONE_ATTEMPT, type RedisConnection } from '#signals/redis'
import { sentinelOptions } from '#signals/sentinel_options'

/** What one sentinel says. */
interface Opinion {
  readonly sentinel: string
  readonly master: string
  /** Why the sentinels cannot elect another master; undefined if they can. */
  readonly withoutQuorum: string | undefined
  /** Of the replicas, those that it reaches. */
  readonly replicas: number
}

/** Checks that the sentinels of Redis agree, and that another server could take the place of the master. */
export const sentinelsCheck: Check = {
  name: 'sentinels',
  async run({ env }) {
    const options = env.REDIS_URL ? sentinelOptions(env.REDIS_URL) : undefined
    if (!options) {
      return NOT_USED
    }
    const sentinels = options.sentinels as readonly HostAddress[]
    const answers = await Promise.all(sentinels.map((sentinel) => ask(sentinel, options)))
    const opinions = answers.filter((answer) => 'master' in answer)
    const away = answers.filter((answer) => 'code' in answer)
    return [...away, ...(opinions.length > 0 ? judge(opinions) : [])]
  },
}

function judge(opinions: readonly Opinion[]): Finding[] {
  const masters = new Set(opinions.map(({ master }) => master))
  const doubt = opinions.find(({ withoutQuorum }) => withoutQuorum !== undefined)
  const replicas = Math.max(...opinions.map((opinion) => opinion.replicas))
  return [
    ...(masters.size > 1 ? [finding('REDIS_MASTERS', [...masters].join(', '))] : []),
    ...(doubt
      ? [finding('REDIS_WITHOUT_QUORUM', `${doubt.sentinel}, ${doubt.withoutQuorum}`)]
      : []),
    ...(replicas === 0 ? [finding('REDIS_WITHOUT_REPLICA', [...masters].join(', '))] : []),
  ]
}

async function ask(address: HostAddress, options: RedisOptions): Promise<Opinion | Finding> {
  const sentinel = hostText(address)
  let connectionError: Error | undefined
  const { sentinelUsername, sentinelPassword, sentinelTLS } = options
  const redis = await connectRedis(`redis://${sentinel}`, (error) => (connectionError = error), {
    ...ONE_ATTEMPT,
    ...(sentinelUsername && { username: sentinelUsername }),
    ...(sentinelPassword && { password: sentinelPassword }),
    ...(sentinelTLS && { tls: sentinelTLS }),
  })
  try {
    await redis.connect()
    return { sentinel, ...(await opinionOf(redis, options.name!)) }
  } catch (error) {
    const reason = reasonOf(connectionError ?? error)
    return finding('REDIS_SENTINEL_AWAY', `${sentinel}, ${reason}`)
  } finally {
    redis.disconnect()
  }
}

async function opinionOf(redis: RedisConnection, name: string): Promise<Omit<Opinion, 'sentinel'>> {
  const replicas = (await redis.call('sentinel', 'replicas', name)) as string[][]
  const master = (await redis.call('sentinel', 'get-master-addr-by-name', name)) as string[]
  const withoutQuorum = await redis.call('sentinel', 'ckquorum', name).then(
    () => undefined,
    (error) => reasonOf(error)
  )
  const isUp = (fields: readonly string[]) => !/down|disconnected/.test(flagsOf(fields))
  return { master: master.join(':'), withoutQuorum, replicas: replicas.filter(isUp).length }
}

/** Names and values follow each other. */
const flagsOf = (fields: readonly string[]): string => fields[fields.indexOf('flags') + 1] ?? ''
