import { HubProcesses } from '#tests/helpers/hub_processes'
import { fetchAnew } from '#tests/helpers/http/fetch_anew'
import { startRabbitmq } from './rabbitmq.js'
import { startRedis } from './redis.js'

/** A pool of two web processes that tell each other by way of real servers, for one test. */
export async function startServedPool(
  cleanup: (callback: () => Promise<void>) => void
): Promise<{ hub: HubProcesses; redisUrl: string }> {
  const [redis, rabbitmq] = await Promise.all([startRedis(), startRabbitmq()])
  cleanup(() => Promise.all([redis.stop(), rabbitmq.stop()]).then(() => {}))
  const hub = await HubProcesses.start('pool', {
    variables: {
      POOL_WEB: '2',
      REDIS_URL: redis.url,
      AMQP_URL: rabbitmq.url,
      LOGSTORE_URL: 'http://127.0.0.1:9',
    },
  })
  cleanup(() => hub.remove())
  return { hub, redisUrl: redis.url }
}

/** The token of a user of the master realm, by default of the one who is there from the beginning. */
export async function logIn(
  origin: string,
  username = 'admin',
  password = 'start123'
): Promise<string> {
  const form = { grant_type: 'password', username, password }
  const body = new URLSearchParams({ ...form, realm_name: 'master' })
  const response = await fetchAnew(`${origin}/auth/token`, { method: 'POST', body })
  return ((await response.json()) as { access_token: string }).access_token
}
