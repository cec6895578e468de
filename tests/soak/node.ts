/**
 * Kills a node, the hub, the worker and a container in turn while analyses run: `SOAK_KILLS` kills, `SOAK_ANALYSES`
 * analyses at once, `SOAK_ISOLATION` bubblewrap or runc; `SEED` repeats an earlier run. Every analysis ends executed or
 * says why not, no message is lost, and nothing is left behind. Needs RabbitMQ and what the driver needs.
 */
import { randomInt } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

import type { Api } from '#hubctl/platform/api'
import { Draw } from '#tests/chaos/draw'
import { setting } from '#tests/chaos/setting'
import type { Traces } from '#tests/helpers/node/machine_traces'
import { stopwatch } from '#tests/helpers/stopwatch'
import { killOne, note, VICTIMS, type Kill } from '#tests/soak/node/drill'
import { leftovers, livingProcesses } from '#tests/soak/node/leftovers'
import { SoakedSandbox } from '#tests/soak/node/soaked_sandbox'
import { Study } from '#tests/soak/node/study'
import { countMessages } from '#tests/soak/node/tally'
import { ensurePackages, PACKAGES } from '#tests/services/servers/packages'

const KILLS = setting('SOAK_KILLS', 20)
const ANALYSES = setting('SOAK_ANALYSES', 3)
const SEED = setting('SEED', randomInt(1, 2 ** 32))
const ISOLATION = process.env.SOAK_ISOLATION ?? 'bubblewrap'
const FOLDERS = {
  tally: 'tests/fixtures/analyses/tally',
  whisper: 'tests/fixtures/analyses/whisper',
  mean: 'examples/mean',
  regression: 'examples/regression',
}
type Kind = keyof typeof FOLDERS
const OTHERS = ['whisper', 'mean', 'regression'] as const
const LOOK_MS = 500
const ENDED_MS = 600_000
const AT_REST_MS = 30_000

console.log(`${KILLS} kills with ${ISOLATION}; SEED=${SEED} repeats them`)
await ensurePackages(PACKAGES.containers)
const draw = new Draw(SEED)
const sandbox = await SoakedSandbox.start(ISOLATION)
let hasFailed = false
try {
  console.log(row(['round', 'killed', 'executed', 'ended', 'sent', 'lost', 'twice', 'seconds']))
  for (let round = 0; round < KILLS; round += 1) {
    await drill(round)
  }
  await sandbox.stop()
  report('no process is left', livingProcesses(sandbox))
  report('no socket is left', await sandbox.socketFolders())
} finally {
  await sandbox.remove()
}
process.exit(hasFailed ? 1 : 0)

async function drill(round: number): Promise<void> {
  const took = stopwatch()
  const api = await sandbox.analyst()
  const studies = await Promise.all(
    kindsOf(round).map((kind) => Study.create(api, kind, folderOf(kind), round))
  )
  const traces = new Map<string, Traces>()
  const options = { sandbox, studies, draw, traces }
  const [kill] = await Promise.all([
    killOne(VICTIMS[round % VICTIMS.length]!, options),
    untilEnded(api, studies, () => note(options)),
  ])
  await inspect(round, api, studies, kill, took)
  report('nothing is left', await atRest(traces))
}

/** Those that count messages are always among them. */
function kindsOf(round: number): Kind[] {
  const others = Array.from(
    { length: ANALYSES - 1 },
    (_, n) => OTHERS[(round + n) % OTHERS.length]!
  )
  return ['tally', ...others]
}

function folderOf(kind: Kind): string {
  return fileURLToPath(new URL(`../../${FOLDERS[kind]}`, import.meta.url))
}

async function untilEnded(api: Api, studies: readonly Study[], look: () => void): Promise<void> {
  const took = stopwatch()
  while (!studies.every(({ hasEnded }) => hasEnded) && took() < ENDED_MS) {
    await Promise.all(studies.map((study) => study.advance(api)))
    look()
    await pause(LOOK_MS)
  }
}

async function inspect(
  round: number,
  api: Api,
  studies: readonly Study[],
  { what, lost }: Kill,
  took: () => number
): Promise<void> {
  const executed = studies.filter(({ isExecuted }) => isExecuted)
  const results = await Promise.all(executed.map((study) => study.result(api)))
  const tally = executed.indexOf(studies[0]!)
  const count = tally < 0 ? undefined : countMessages(results[tally]!.text)
  console.log(
    row([
      String(round + 1),
      what,
      `${executed.length}/${studies.length}`,
      studies.map((study) => endOf(study)).join(),
      ...[count?.sent, count?.lost, count?.twice].map((one) => String(one ?? '-')),
      (took() / 1_000).toFixed(1),
    ])
  )
  const silent = await Promise.all(studies.map((study) => study.unexplained(api)))
  report('every analysis was executed, or says why not', [
    ...studies.filter(({ hasEnded }) => !hasEnded).map(({ kind }) => `${kind} has not ended`),
    ...studies
      .filter((study) => !study.isExecuted && !lost.includes(study))
      .map(({ kind }) => `${kind} had no reason to fail`),
    ...silent.flat(),
    ...results.flatMap(({ problems }) => problems),
  ])
  report('no message is lost, and one that came twice has one id', [
    ...(count?.lost ? [`${count.lost} are lost`] : []),
    ...(count?.unknown ? [`${count.unknown} have an id that nobody sent`] : []),
  ])
}

/** Nothing has to be left soon after the end. */
async function atRest(traces: ReadonlyMap<string, Traces>): Promise<string[]> {
  const took = stopwatch()
  for (;;) {
    const found = await leftovers(sandbox, traces)
    if (found.length === 0 || took() > AT_REST_MS) {
      return found
    }
    await pause(LOOK_MS)
  }
}

function endOf({ kind, nodes }: Study): string {
  const ends = new Set(nodes.map(({ executionStatus }) => executionStatus ?? 'not begun'))
  return `${kind} ${[...ends].join('/')}`
}

function row(cells: readonly string[]): string {
  const widths = [5, 24, 8, 72, 5, 4, 5, 7]
  return cells.map((cell, n) => cell.padEnd(widths[n]!)).join('  ')
}

function report(what: string, problems: readonly string[]): void {
  console.log(`${problems.length === 0 ? 'yes' : 'NO '}  ${[what, ...problems].join('; ')}`)
  hasFailed ||= problems.length > 0
}
