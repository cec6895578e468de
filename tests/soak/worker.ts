/**
 * A worker that is killed again and again while it builds: `SOAK_ANALYSES` analyses, `SOAK_KILLS` kills at random moments. In the end every
 * analysis is built, each image is there once, and every one is what a worker makes that nobody disturbs. Needs RabbitMQ, as the tests of
 * real servers do.
 */
import { randomBytes, randomInt } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

import { FolderStore } from '#oci/folder/folder_store'
import { requireManifest } from '#oci/platform_image'
import { HubProcesses } from '#tests/helpers/hub_processes'
import { stopwatch } from '#tests/helpers/stopwatch'
import { testEnvironment } from '#tests/helpers/test_environment'
import { enterMasterImage, Researcher } from '#tests/helpers/worker/researcher'
import { putTinyImage } from '#tests/helpers/worker/tiny_image'
import { startRabbitmq } from '#tests/services/servers/rabbitmq'

const number = (name: string, usual: number) => Number(process.env[`SOAK_${name}`] ?? usual)
const ANALYSES = number('ANALYSES', 12)
const KILLS = number('KILLS', 50)
const FILES = number('FILES', 40)
const LARGE_BYTES = number('LARGE_BYTES', 6 * 1024 ** 2)

const SECRET = randomBytes(24).toString('hex')
/** What images are signed with follows from it, and core accepts no other. */
const APP_KEY = randomBytes(24).toString('hex')
const FREE = { SKIP_PROJECT_APPROVAL: 'true', SKIP_ANALYSIS_APPROVAL: 'true' }
/** From the start of a worker; it takes its first command about when it says that it is ready. */
const LATEST_KILL_MS = 4_000
const DONE_MS = 300_000

testEnvironment()
const parent = await mkdtemp(join(tmpdir(), 'hub-soak-'))
const folder = join(parent, 'images')
const broker = await startRabbitmq()
const hub = await HubProcesses.start('server', {
  variables: {
    ...FREE,
    APP_KEY,
    // Whoever watches asks many times a second.
    RATE_LIMIT_USER: '0',
    JOBS: 'bus,outbox,sweeps',
    AMQP_URL: broker.url,
    WORKER_CLIENT_SECRET: SECRET,
    LOG_LEVEL: 'error',
  },
})
let hasFailed = false
try {
  const images = await FolderStore.open(folder)
  await putTinyImage(images, 'master/python/base')
  const researcher = await Researcher.at(hub.origin)
  const ids = await analyses(researcher)
  const worker = await startWorker()
  const undisturbed = await round(researcher, images, ids)
  await worker.remove()
  console.log(`${ids.length} analyses built undisturbed in ${undisturbed.seconds.toFixed(1)} s`)
  let rounds = 0
  for (let kills = 0; kills < KILLS; rounds++) {
    const over = new AbortController()
    const [disturbed, done] = await Promise.all([
      round(researcher, images, ids).finally(() => over.abort()),
      disturb(KILLS - kills, over.signal),
    ])
    kills += done
    check(
      `after ${done} kills every image is what it was`,
      JSON.stringify(disturbed.digests) === JSON.stringify(undisturbed.digests)
    )
  }
  const tags = await Promise.all(ids.map((id) => images.tags(`incoming/${id}`)))
  check(`${rounds} rounds`, rounds > 0)
  check(
    'each image is there once, with its signature and its provenance',
    tags.every((found, n) => found.join() === tagsOf(undisturbed.digests[n]!).join())
  )
  const blobs = await readdir(join(folder, 'blobs', 'sha256'))
  // Base: layer, config, manifest; of each build the same three times, for the image and for what is said about it.
  check(`no blob is left that nobody needs: ${blobs.length}`, blobs.length === 3 + 9 * ids.length)
} finally {
  await hub.remove()
  await broker.stop()
  await rm(parent, { recursive: true, force: true })
}
process.exit(hasFailed ? 1 : 0)

async function analyses(researcher: Researcher): Promise<string[]> {
  const masterImageId = await enterMasterImage(hub.folder, {
    virtualPath: 'python/base',
    command: 'python3',
  })
  const project = await researcher.project()
  const ids: string[] = []
  for (let n = 0; n < ANALYSES; n++) {
    const files: Record<string, string> = { 'main.py': `print(${n})\n` }
    for (let file = 0; file < FILES; file++) {
      files[`lib/part_${file}.py`] = `x = ${file}\n`.repeat(500)
    }
    files['data/large.txt'] = randomBytes(LARGE_BYTES / 2).toString('hex')
    const id = await researcher.analysis(project, masterImageId, files)
    await researcher.command(id, 'configurationLock')
    ids.push(id)
  }
  return ids
}

function startWorker(): Promise<HubProcesses> {
  return HubProcesses.launch('server', {
    variables: {
      APP_KEY,
      SURFACES: 'none',
      JOBS: 'worker',
      AMQP_URL: broker.url,
      CORE_URL: `${hub.origin}/core`,
      STORAGE_URL: `${hub.origin}/storage`,
      IDENTITY_URL: `${hub.origin}/auth`,
      CLIENT_ID: 'worker',
      CLIENT_SECRET: SECRET,
      IMAGES_PATH: folder,
      LOG_LEVEL: 'error',
    },
  })
}

/** Has everything built anew, and answers the digests that came of it, which have to be those that core was told of. */
async function round(researcher: Researcher, images: FolderStore, ids: readonly string[]) {
  const took = stopwatch()
  for (const id of ids) {
    const repository = `incoming/${id}`
    const before = await images.manifest(repository, 'latest')
    if (before) {
      await images.removeManifest(repository, before.digest)
      await researcher.command(id, 'buildCheck')
      await researcher.built(id, ['failed'], DONE_MS)
    }
    await researcher.command(id, 'buildStart')
  }
  const digests: string[] = []
  for (const id of ids) {
    const { buildStatus, buildHash } = await researcher.built(id, undefined, DONE_MS)
    const { digest } = await requireManifest(images, `incoming/${id}`, 'latest')
    if (buildStatus !== 'executed' || buildHash !== digest) {
      check(`${id} is ${buildStatus} with ${buildHash}, and ${digest} is there`, false)
    }
    digests.push(digest)
  }
  return { digests, seconds: took() / 1_000 }
}

/** Starts a worker and kills it, as often as it may; the last one is left alone. Answers how often, once it is over. */
async function disturb(atMost: number, over: AbortSignal): Promise<number> {
  let kills = 0
  while (!over.aborted) {
    const worker = await startWorker()
    if (kills < atMost) {
      await worker.until('it took commands', () => worker.output.includes('is ready after'))
      await delay(randomInt(LATEST_KILL_MS), undefined, { signal: over }).catch(() => {})
      worker.signal('SIGKILL')
      kills++
    } else {
      await new Promise((resolve) => over.addEventListener('abort', resolve, { once: true }))
    }
    await worker.remove()
  }
  return kills
}

function tagsOf(digest: string): string[] {
  const said = digest.replace(':', '-')
  return [`${said}.att`, `${said}.sig`, 'latest']
}

function check(what: string, isSo: boolean): void {
  console.log(`${isSo ? 'yes' : 'NO '}  ${what}`)
  hasFailed ||= !isSo
}
