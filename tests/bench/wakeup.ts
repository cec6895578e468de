/**
 * How long a wakeup takes to reach another process through Redis, from the call that wakes to the call of the listener.
 */
import { startRedis } from '#tests/services/servers/redis'
import { wakeupLatency } from '#tests/helpers/messenger/wakeup_latency'

const SAMPLES = Number(process.env.BENCH_SAMPLES ?? 5_000)
const P99_LIMIT_MS = 20

const redis = await startRedis()
try {
  const { woken, plain } = await wakeupLatency(redis.url, SAMPLES)
  for (const name of ['p50', 'p99', 'max'] as const) {
    console.log(
      `${name.padEnd(4)} ${woken[name].toFixed(2)} ms, plain ${plain[name].toFixed(2)} ms`
    )
  }
  const lock = woken.p99 <= P99_LIMIT_MS
  console.log(`${SAMPLES} wakeups, p99 ${lock ? 'within' : 'above'} ${P99_LIMIT_MS} ms`)
  process.exitCode = lock ? 0 : 1
} finally {
  await redis.stop()
}
