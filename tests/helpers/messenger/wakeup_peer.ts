/** The other process of `wakeupLatency`: says when it began to listen, and then at which time it was called. */
import { Redis } from 'ioredis'

import { RedisSignals } from '#signals/redis_signals'

import { PLAIN_CHANNEL } from './wakeup_channel.js'

const signals = await RedisSignals.connect(process.env.PEER_REDIS_URL!, (error) => {
  console.error(error.message)
})
const report = () => process.send!(String(process.hrtime.bigint()))
const plainClient = new Redis(process.env.PEER_REDIS_URL!)
plainClient.on('message', report)
await plainClient.subscribe(PLAIN_CHANNEL)
await signals.onNotification('bench', report)
report()
process.once('disconnect', () => {
  plainClient.disconnect()
  void signals.close()
})
