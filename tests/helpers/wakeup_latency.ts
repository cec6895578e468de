import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'

import { RedisSignals } from '#signals/redis_signals'

const PEER = fileURLToPath(new URL(`./wakeup_peer${extname(import.meta.url)}`, import.meta.url))

export interface WakeupLatency {
  readonly samples: number
  readonly p50: number
  readonly p99: number
  readonly max: number
}

/**
 * How long it takes from a wake in this process to the call of a listener in another one, in milliseconds. Both read the
 * same clock of the machine.
 */
export async function wakeupLatency(redisUrl: string, samples: number): Promise<WakeupLatency> {
  const peer = fork(PEER, { env: { ...process.env, PEER_REDIS_URL: redisUrl } })
  const signals = await RedisSignals.connect(redisUrl, (error) => console.error(error.message))
  try {
    await wokenAt(peer)
    const took: number[] = []
    for (let n = 0; n < samples; n++) {
      const woken = wokenAt(peer)
      const startedAt = process.hrtime.bigint()
      signals.wake('bench')
      took.push(Number((await woken) - startedAt) / 1e6)
      // A wake that comes at once after another one is gathered with it: half of the samples wait for that, too.
      if (n % 2 === 0) {
        await new Promise((resolve) => setTimeout(resolve, 8))
      }
    }
    return summary(took)
  } finally {
    peer.kill()
    await signals.close()
  }
}

async function wokenAt(peer: ChildProcess): Promise<bigint> {
  const [text] = (await once(peer, 'message')) as [string]
  return BigInt(text)
}

function summary(took: number[]): WakeupLatency {
  const sorted = took.toSorted((a, b) => a - b)
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!
  return { samples: sorted.length, p50: at(0.5), p99: at(0.99), max: sorted.at(-1)! }
}
