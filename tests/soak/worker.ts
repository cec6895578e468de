/**
 * Kills a worker repeatedly while it builds and distributes: `SOAK_ANALYSES` analyses, `SOAK_KILLS` kills at random
 * moments. Each round starts with empty registries and an empty folder. In the end, every analysis is distributed; each
 * image exists once, complete, with one signature and one provenance, and equals that of an undisturbed worker; nothing
 * is left behind. Needs RabbitMQ and docker-registry.
 */
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'

import type { HubProcesses } from '#tests/helpers/hub_processes'
import { stopwatch } from '#tests/helpers/stopwatch'
import { testEnvironment } from '#tests/helpers/test_environment'
import { FolderDisk, type Content } from '#tests/soak/worker/disks'
import { Scene, type ImageCopy } from '#tests/soak/worker/scene'
import { stagesUnderWay } from '#tests/soak/worker/stages'

const number = (name: string, usual: number) => Number(process.env[`SOAK_${name}`] ?? usual)
const KILLS = number('KILLS', 50)
/** After the first command, or the first distribution. */
const LATEST_KILL_MS = { start: 4_000, distribution: 1_500 }

testEnvironment()
const scene = await Scene.set({
  analyses: number('ANALYSES', 6),
  files: number('FILES', 40),
  largeBytes: number('LARGE_BYTES', 17 * 1024 ** 2),
})
/** In the worker log. */
const DISTRIBUTING = '"component":"analysisDistributor","command":"execute"'
const TAKEN_BACK = 'an abandoned upload was cancelled'
const hits = { kills: 0, build: 0, distribution: 0, neither: 0, takenBack: 0 }
let hasFailed = false
try {
  const undisturbed = await undisturbedRound()
  while (hits.kills < KILLS) {
    await scene.clear()
    const took = stopwatch()
    const before = hits.kills
    const over = new AbortController()
    const [digests] = await Promise.all([
      scene.round().finally(() => over.abort()),
      disturb(over.signal),
    ])
    const kills = hits.kills - before
    check(
      `after ${kills} kills in ${(took() / 1_000).toFixed(1)} s every image is what it was`,
      digests.join() === undisturbed.join()
    )
    await inspect(digests)
  }
  const { kills, build, distribution, neither, takenBack } = hits
  console.log(
    `${kills} kills: ${build} hit builds, ${distribution} distributions, ${neither} neither`
  )
  console.log(`${takenBack} uploads were left by them, and taken back`)
} finally {
  await scene.remove()
}
process.exit(hasFailed ? 1 : 0)

async function undisturbedRound(): Promise<string[]> {
  const worker = await scene.startWorker()
  const took = stopwatch()
  const digests = await scene.round()
  console.log(
    `${digests.length} analyses distributed undisturbed in ${(took() / 1_000).toFixed(1)} s`
  )
  await worker.remove()
  await inspect(digests)
  return digests
}

/** Starts and kills workers, alternately after the start and during a distribution. The last one is left alone. */
async function disturb(over: AbortSignal): Promise<void> {
  while (!over.aborted && hits.kills < KILLS) {
    const worker = await scene.startWorker()
    const isForDistribution = hits.kills % 2 === 1
    const sign = isForDistribution ? DISTRIBUTING : 'is ready after'
    await worker.until('it was at work', () => over.aborted || worker.output.includes(sign))
    const latestMs = LATEST_KILL_MS[isForDistribution ? 'distribution' : 'start']
    await delay(randomInt(latestMs), undefined, { signal: over }).catch(() => {})
    if (!over.aborted) {
      worker.signal('SIGKILL')
      await worker.gone()
      note(stagesUnderWay(worker.output))
    }
    await end(worker)
  }
  const last = await scene.startWorker()
  if (!over.aborted) {
    await once(over, 'abort')
  }
  const remaining = await scene.leftBehind()
  check(
    `nothing is left of what was under way${remaining.map((one) => `; ${one}`)}`,
    remaining.length === 0
  )
  await end(last)
}

async function end(worker: HubProcesses): Promise<void> {
  hits.takenBack += worker.output.split(TAKEN_BACK).length - 1
  await worker.remove()
}

function note(stages: ReadonlySet<string>): void {
  hits.kills++
  hits.build += stages.has('analysisBuilder') ? 1 : 0
  hits.distribution += stages.has('analysisDistributor') ? 1 : 0
  hits.neither += stages.size === 0 ? 1 : 0
}

/** Checks the disks while no worker runs. */
async function inspect(digests: readonly string[]): Promise<void> {
  const problems = await Promise.all(scene.disks.map((disk) => disk.problems()))
  const all = problems.flat()
  check(`all is whole, and no blob too many${all.map((one) => `; ${one}`)}`, all.length === 0)
  const wrong: string[] = []
  for (const image of scene.imagesOf(digests)) {
    wrong.push(...(await wrongWith(image)))
  }
  check(
    `each image is there once, with one signature and one provenance${wrong.map((one) => `; ${one}`)}`,
    wrong.length === 0
  )
}

async function wrongWith({
  disk,
  repository,
  digest,
}: ImageCopy & { digest: string }): Promise<string[]> {
  const named = await disk.named()
  const own = new Map(
    named.filter((one) => one.repository === repository).map((one) => [one.tag, one.digest])
  )
  const content = digest.replace(':', '-')
  const list = disk instanceof FolderDisk ? [] : [content]
  const expected = [...list, `${content}.att`, `${content}.sig`, 'latest']
  const wrong = []
  if ([...own.keys()].toSorted().join() !== expected.toSorted().join()) {
    wrong.push(`${repository} has ${[...own.keys()].join()}`)
  }
  if (own.get('latest') !== digest) {
    wrong.push(`${repository} has another image`)
  }
  const attached = [own.get(`${content}.att`), own.get(`${content}.sig`)]
  if (own.has(content) && !isListOf(attached, await disk.manifest(own.get(content)!))) {
    wrong.push(`${repository} lists other things as said of the image`)
  }
  for (const tag of [`${content}.att`, `${content}.sig`].filter((one) => own.has(one))) {
    const { layers = [] } = await disk.manifest(own.get(tag)!)
    if (layers.length !== 1) {
      wrong.push(`${repository}:${tag} says ${layers.length} things`)
    }
  }
  return wrong
}

function isListOf(digests: readonly unknown[], { manifests = [] }: Content): boolean {
  const listed = manifests.map(({ digest }) => digest)
  return listed.toSorted().join() === digests.toSorted().join()
}

function check(what: string, isSo: boolean): void {
  console.log(`${isSo ? 'yes' : 'NO '}  ${what}`)
  hasFailed ||= !isSo
}
