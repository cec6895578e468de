import { setTimeout as delay } from 'node:timers/promises'

import { Draw } from './draw.js'
import { VICTIMS, type Victim } from './installation.js'
import { Scene } from './scene.js'

const SETTLED_WITHIN_MS = 60_000
const BEFORE_MS = [300, 2_000] as const
const AWAY_MS = [0, 3_000] as const

/** Those without whom requests cannot be answered; of the others they must not notice anything. */
const NEEDED: readonly Victim[] = ['web', 'database']

interface RoundsOptions {
  readonly rounds: number
  readonly seed: number
  /** What each writer waits after each of its writes. */
  readonly pauseMs: number
  readonly say: (line: string) => void
}

interface Round {
  readonly line: string
  readonly problems: string[]
}

/**
 * Kills one part of an installation per round, with SIGKILL and in the middle of a stream of changes, and starts it again.
 * Lists problems afterwards: none if everything was published and done once.
 */
export async function survive({
  rounds,
  seed,
  pauseMs,
  say: log,
}: RoundsOptions): Promise<string[]> {
  log(`seed ${seed}: SEED=${seed} repeats these rounds`)
  const draw = new Draw(seed)
  const scene = await Scene.open({ pauseMs })
  try {
    const problems: string[] = []
    for (const [index, victim] of victims(rounds, draw).entries()) {
      const { line, problems: own } = await round(scene, victim, draw)
      log(`round ${index + 1}: ${line}`)
      problems.push(...own.map((problem) => `round ${index + 1}, ${victim}: ${problem}`))
    }
    const verdict = await scene.verdict()
    log(`the audit trail was looked through ${scene.stream.audits} times`)
    return [...problems, ...verdict]
  } finally {
    await scene.close()
  }
}

/** All take turns, in an order of chance each time. */
function victims(rounds: number, draw: Draw): Victim[] {
  const order: Victim[] = []
  while (order.length < rounds) {
    order.push(...draw.shuffled(VICTIMS))
  }
  return order.slice(0, rounds)
}

async function round(scene: Scene, victim: Victim, draw: Draw): Promise<Round> {
  const { installation, stream } = scene
  const startedAt = performance.now()
  await delay(draw.between(...BEFORE_MS))
  await installation.kill(victim)
  const killed = performance.now()
  await delay(draw.between(...AWAY_MS))
  await installation.revive(victim)
  const back = performance.now()
  const [{ milliseconds, late }, isAnswered] = await Promise.all([
    scene.settle(SETTLED_WITHIN_MS),
    stream.isAnsweredAfter(back, SETTLED_WITHIN_MS),
  ])
  const failures = stream.failures(startedAt)
  const unexpected = NEEDED.includes(victim) ? [] : failures
  return {
    line:
      `${victim} away for ${seconds(back - killed)}, all was settled ${seconds(milliseconds)} later; ` +
      `${stream.exchanges(startedAt).length} requests, ${failures.length} of them failed`,
    problems: [
      ...late.map((what) => `${what} after ${seconds(milliseconds)}`),
      ...unexpected.map((failure) => `a request failed: ${failure}`),
      ...(isAnswered ? [] : ['no request was answered afterwards']),
    ],
  }
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1_000).toFixed(1)} s`
}
