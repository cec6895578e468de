import { setTimeout as delay } from 'node:timers/promises'

import type { Exchange } from './client.js'
import { Scene } from './scene.js'

const PAUSE_MS = 100
const WARM_UP_MS = 3_000
const DRAINED_WITHIN_MS = 60_000

/** What may be added to three times the usual before requests count as waiting for the broker. */
const TOLERANCE_MS = 50

interface OutageOptions {
  readonly seconds: number
  readonly say: (line: string) => void
}

/**
 * Stops the broker for a while. Lists problems: none if no request failed and everything was published afterwards.
 */
export async function doWithoutBroker({ seconds, say: log }: OutageOptions): Promise<string[]> {
  const scene = await Scene.open({ pauseMs: PAUSE_MS })
  const { installation, stream } = scene
  try {
    await delay(WARM_UP_MS)
    const startedAt = performance.now()
    await delay(seconds * 1_000)
    const stopped = performance.now()
    await installation.kill('broker')
    await delay(seconds * 1_000)
    const over = performance.now()
    await installation.revive('broker')
    const { milliseconds, late } = await scene.settle(DRAINED_WITHIN_MS)
    const before = slowOf(stream.exchanges(startedAt, stopped))
    const during = slowOf(stream.exchanges(stopped, over))
    log(
      `99 of 100 requests took at most ${before} ms with the broker and ${during} ms in the ${seconds} s without it; ` +
        `everything was told ${(milliseconds / 1_000).toFixed(1)} s after it was back`
    )
    return [
      ...stream.failures(startedAt).map((failure) => `a request failed: ${failure}`),
      ...(during > 3 * before + TOLERANCE_MS ? ['requests waited for the broker'] : []),
      ...late,
      ...(await scene.verdict()),
    ]
  } finally {
    await scene.close()
  }
}

/** What 99 of 100 requests took at most. */
function slowOf(exchanges: readonly Exchange[]): number {
  const times = exchanges.map(({ milliseconds }) => milliseconds).sort((one, other) => one - other)
  return Math.round(times[Math.floor(times.length * 0.99)] ?? Infinity)
}
