/**
 * Upgrades an installation from an earlier commit to these sources, back, and forward again, while clients read, write, send
 * messages, upload and build. `FROM` is that commit, `DURATION` how many seconds each state of the installation lasts, `SEED`
 * repeats the order and the pauses of an earlier run.
 */
import { randomInt } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'

import { Draw } from '#tests/chaos/draw'
import { Journal } from '#tests/chaos/journal'
import { Observer } from '#tests/chaos/observer'
import { setting } from '#tests/chaos/setting'
import { testEnvironment } from '#tests/helpers/test_environment'
import { report, type Finding } from './report.js'
import { prepareBuilds } from '#tests/drills/upgrade/builder'
import { findings } from '#tests/drills/upgrade/findings'
import { formerRelease } from '#tests/drills/upgrade/former_release'
import { Installation, type Release } from '#tests/drills/upgrade/installation'
import { Load } from '#tests/drills/upgrade/load'
import { upgradePool } from '#tests/drills/upgrade/pool_upgrade'

/** Stands for the release before this one as long as none has a tag. */
const FORMER = '7d91a3bce6eda5309396bfee236c0b9db0db9205'
const FROM = process.env.FROM ?? FORMER
const DURATION_MS = setting('DURATION', 15) * 1_000
const SEED = setting('SEED', randomInt(1, 2 ** 32))

testEnvironment()
const { loadSettings } = await import('#runtime/application')
await loadSettings()
const former: Release = { name: 'N-1', root: await formerRelease(FROM) }
const latest: Release = { name: 'N' }
const draw = new Draw(SEED)
const startedAt = performance.now()
note(`from ${FROM}; SEED=${SEED} repeats this run`)

await using cleanup = new AsyncDisposableStack()
const installation = await Installation.start(former)
cleanup.defer(() => installation.stop())
const { broker, database } = installation.servers
const journal = await Journal.open(database.url)
cleanup.defer(() => journal.close())
const observer = await Observer.start(broker.url)
cleanup.defer(() => observer.close())
const { origin } = installation
const load = await Load.start({ origin, prepare: () => prepareBuilds(origin, database.url) })
cleanup.defer(() => load.stop())

note(`${former.name} serves`)
await lasts()
note(`the tables: ${(await installation.migrate()).split('\n').at(-1)}`)
await lasts()
await replaceAll(latest)
await replaceAll(former)
await replaceAll(latest)
await load.endWriting()
const found = await findings({ installation, load, journal, observer })
load.stop()
await installation.retire()
found.push(...ended())
note('a pool is reloaded')
found.push(await poolFinding(former, latest, former, latest))
found.push(await poolFinding(latest, former, latest))
report(`From ${FROM} to these sources, back, and forward again`, found)

/** The hubs one by one, then the worker while it builds. Mixed states last as long as others. */
async function replaceAll(release: Release): Promise<void> {
  for (const [turn, index] of draw.shuffled([0, 1]).entries()) {
    await delay(draw.between(0, 1_000))
    await installation.replaceHub(index, release)
    note(`${turn + 1} of 2 hubs: ${release.name}`)
    await lasts()
  }
  await load.parts.builder.isUnderWay()
  await installation.replaceWorker(release)
  note(`the worker: ${release.name}`)
  await lasts()
}

function lasts(): Promise<void> {
  return delay(DURATION_MS)
}

/** What was found before is shown, too, if the pool cannot be judged. */
async function poolFinding(first: Release, ...others: Release[]): Promise<Finding> {
  try {
    return await upgradePool(installation, [first, ...others])
  } catch (error) {
    return {
      what: `a pool of ${first.name} was reloaded`,
      problems: [String(error).split('\n')[0]!],
    }
  }
}

function ended(): Finding[] {
  const { exits, errors } = installation
  const wrong = exits.filter((exit) => exit !== 0).map((exit) => `one ended with ${exit}`)
  return [
    { what: `${exits.length} processes ended in good order after SIGTERM`, problems: wrong },
    { what: 'no process logged an error', problems: errors },
  ]
}

function note(text: string): void {
  console.log(`${((performance.now() - startedAt) / 1_000).toFixed(0).padStart(4)} s  ${text}`)
}
