/**
 * Kills parts of an installation round after round and says whether it came through. `ROUNDS` says how often, `PAUSE_MS`
 * how long writers wait between their writes, `SEED` repeats an earlier run.
 */
import { randomInt } from 'node:crypto'

import { testEnvironment } from '#tests/helpers/test_environment'

import { setting } from './setting.js'

const ROUNDS = setting('ROUNDS', 50)
const SEED = setting('SEED', randomInt(1, 2 ** 32))
const PAUSE_MS = setting('PAUSE_MS', 100)

testEnvironment()
const { loadSettings } = await import('#runtime/application')
await loadSettings()
const { survive } = await import('./rounds.js')
const problems = await survive({ rounds: ROUNDS, seed: SEED, pauseMs: PAUSE_MS, say: console.log })
problems.forEach((problem) => console.error(problem))
console.log(
  problems.length === 0
    ? `All ${ROUNDS} rounds were survived.`
    : `That was not survived; SEED=${SEED} npm run chaos repeats the rounds.`
)
process.exitCode = problems.length === 0 ? 0 : 1
