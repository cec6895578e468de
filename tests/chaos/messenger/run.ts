/**
 * Kills processes while messages are sent, pulled and acknowledged, and counts the messages. `KILLS` is the number,
 * `SENDS` how many are sent a second at most, `SEED` repeats an earlier run.
 */
import { randomInt } from 'node:crypto'

import { testEnvironment } from '#tests/helpers/test_environment'
import { setting } from '#tests/chaos/setting'

const KILLS = setting('KILLS', 50)
const SENDS = setting('SENDS', 2_000)
const SEED = setting('SEED', randomInt(1, 2 ** 32))

testEnvironment()
const { survive } = await import('./kills.js')
const problems = await survive({
  kills: KILLS,
  seed: SEED,
  sendsPerSecond: SENDS,
  say: console.log,
})
problems.forEach((problem) => console.error(problem))
console.log(problems.length === 0 ? `All ${KILLS} kills were survived.` : 'That was not survived.')
process.exitCode = problems.length === 0 ? 0 : 1
