import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'

import { Redis } from 'ioredis'

import { RedisSignals } from '#signals/redis_signals'

import { PLAIN_CHANNEL } from './wakeup_channel.js'
import { realTime } from '#tests/helpers/real_time'

const PEER = fileURLToPath(new URL(`./wakeup_peer${extname(import.meta.url)}`, import.meta.url))

export interface Latency {
  readonly p50: number
  readonly p99: number
  readonly max: number
}

export interface WakeupLatency {
  /** From a wake in this process to the call of a listener in another one. */
  readonly woken: Latency
  /** From a message of a plain Redis client to that of another one: what the machine itself takes. */
  readonly plain: Latency
}

/** In milliseconds, each sample of the one beside a sample of the other. Both processes read the same clock. */
export async function wakeupLatency(redisUrl: string, samples: number): Promise<WakeupLatency> {
  const peer = fork(PEER, { env: { ...process.env, PEER_REDIS_URL: redisUrl } })
  const signals = await RedisSignals.connect(redisUrl, (error) => console.error(error.message))
  const plainClient = new Redis(redisUrl)
  try {
    await calledAt(peer)
    const woken: number[] = []
    const plain: number[] = []
    for (let n = 0; n < samples; n++) {
      plain.push(await latencyOf(peer, () => void plainClient.publish(PLAIN_CHANNEL, '')))
      woken.push(await latencyOf(peer, () => signals.notify('bench')))
      // A wake that comes at once after another one is gathered with it: half of the samples wait for that, too.
      if (n % 2 === 0) {
        await realTime(8, 'the wakes that follow at once are gathered')
      }
    }
    return { woken: summary(woken), plain: summary(plain) }
  } finally {
    peer.kill()
    plainClient.disconnect()
    await signals.close()
  }
}

async function latencyOf(peer: ChildProcess, call: () => void): Promise<number> {
  const called = calledAt(peer)
  const startedAt = process.hrtime.bigint()
  call()
  return Number((await called) - startedAt) / 1e6
}

async function calledAt(peer: ChildProcess): Promise<bigint> {
  const [text] = (await once(peer, 'message')) as [string]
  return BigInt(text)
}

function summary(took: number[]): Latency {
  const sorted = took.toSorted((a, b) => a - b)
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!
  return { p50: at(0.5), p99: at(0.99), max: sorted.at(-1)! }
}
