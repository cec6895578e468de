/** The other process of `wakeupLatency`: says when it began to listen, and then at which time it was woken. */
import { RedisSignals } from '#signals/redis_signals'

const signals = await RedisSignals.connect(process.env.PEER_REDIS_URL!, (error) => {
  console.error(error.message)
})
const tell = () => process.send!(String(process.hrtime.bigint()))
await signals.onWake('bench', tell)
tell()
process.once('disconnect', () => void signals.close())
