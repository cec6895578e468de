import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { FolderStore } from '#oci/folder/folder_store'
import { eventually } from '#tests/helpers/eventually'
import { HubProcesses } from '#tests/helpers/hub_processes'
import { enterMasterImage, Researcher } from '#tests/helpers/worker/researcher'
import { putTinyImage } from '#tests/helpers/worker/tiny_image'
import { startDockerRegistry, type DockerRegistry } from '#tests/services/servers/docker_registry'
import { startRabbitmq } from '#tests/services/servers/rabbitmq'
import { FolderDisk, RegistryDisk, type Disk } from './disks.js'

const SECRET = randomBytes(24).toString('hex')
/** The signing key is derived from it; core accepts no other. */
const APP_KEY = randomBytes(24).toString('hex')
const FREE = { SKIP_PROJECT_APPROVAL: 'true', SKIP_ANALYSIS_APPROVAL: 'true' }
const DONE_MS = 300_000
const CLEARED_MS = 60_000

export interface Sizes {
  readonly analyses: number
  readonly files: number
  readonly largeBytes: number
}

/** An image that must exist. */
export interface ImageCopy {
  readonly disk: Disk
  readonly repository: string
}

/** An analysis with the locations of its images. */
interface Study {
  readonly id: string
  readonly places: readonly ImageCopy[]
}

/**
 * An installation with two registries. Each node uses one of them. Half of the analyses are built in the first
 * registry, the other half in the folder.
 */
export class Scene {
  readonly folder: string
  readonly #broker: Awaited<ReturnType<typeof startRabbitmq>>
  readonly #registries: readonly DockerRegistry[]
  readonly #hub: HubProcesses
  readonly #researcher: Researcher
  readonly images: FolderDisk
  readonly registries: readonly RegistryDisk[]
  #studies: readonly Study[] = []

  static async set(sizes: Sizes): Promise<Scene> {
    const folder = await mkdtemp(join(tmpdir(), 'hub-soak-'))
    const broker = await startRabbitmq()
    const registries = [await startDockerRegistry(), await startDockerRegistry()]
    const hub = await HubProcesses.start('server', {
      variables: {
        ...FREE,
        APP_KEY,
        // Polling exceeds the rate limit.
        RATE_LIMIT_USER: '0',
        JOBS: 'bus,outbox,sweeps',
        AMQP_URL: broker.url,
        WORKER_CLIENT_SECRET: SECRET,
        IMAGES_PATH: join(folder, 'images'),
        LOG_LEVEL: 'error',
      },
    })
    const researcher = await Researcher.at(hub.origin)
    const scene = new Scene({ folder, broker, registries, hub, researcher })
    await scene.#enter(sizes)
    await scene.clear()
    return scene
  }

  private constructor(parts: {
    folder: string
    broker: Awaited<ReturnType<typeof startRabbitmq>>
    registries: readonly DockerRegistry[]
    hub: HubProcesses
    researcher: Researcher
  }) {
    this.folder = parts.folder
    this.#broker = parts.broker
    this.#registries = parts.registries
    this.#hub = parts.hub
    this.#researcher = parts.researcher
    this.images = new FolderDisk(join(parts.folder, 'images'))
    this.registries = parts.registries.map(({ server }) => new RegistryDisk(server.folder))
  }

  async remove(): Promise<void> {
    await this.#hub.remove()
    await this.#broker.stop()
    for (const { server } of this.#registries) {
      await server.stop()
    }
    await rm(this.folder, { recursive: true, force: true })
  }

  get disks(): readonly Disk[] {
    return [this.images, ...this.registries]
  }

  /** Removes all builds. No worker may be running. */
  async clear(): Promise<void> {
    for (const disk of this.registries) {
      await disk.clear()
    }
    await rm(this.images.folder, { recursive: true, force: true })
    const store = await FolderStore.open(this.images.folder)
    await putTinyImage(store, 'master/python/base')
  }

  startWorker(): Promise<HubProcesses> {
    return HubProcesses.launch('server', {
      variables: {
        APP_KEY,
        SURFACES: 'none',
        JOBS: 'worker',
        AMQP_URL: this.#broker.url,
        CORE_URL: `${this.#hub.origin}/core`,
        STORAGE_URL: `${this.#hub.origin}/storage`,
        IDENTITY_URL: `${this.#hub.origin}/auth`,
        CLIENT_ID: 'worker',
        CLIENT_SECRET: SECRET,
        IMAGES_PATH: this.images.folder,
        WORKER_PATH: join(this.folder, 'worker'),
        LOG_LEVEL: 'info',
      },
    })
  }

  /** Builds and distributes every analysis. Returns the reported digests. */
  round(): Promise<string[]> {
    return Promise.all(this.#studies.map((study) => this.#distributed(study)))
  }

  /** The expected images with their digests. */
  imagesOf(digests: readonly string[]): (ImageCopy & { readonly digest: string })[] {
    return this.#studies.flatMap(({ places: locations }, n) =>
      locations.map((location) => ({ ...location, digest: digests[n]! }))
    )
  }

  /** Waits for the sweeps of workers. Returns what is left nevertheless. */
  async leftBehind(): Promise<string[]> {
    const remaining = async () => {
      const files = await Promise.all(
        ['uploads', 'commands'].map((part) => readdir(join(this.folder, 'worker', part)))
      )
      return [...files.flat(), ...(await this.images.unfinished())]
    }
    await eventually(async () => (await remaining()).length === 0, CLEARED_MS).catch(() => {})
    const unfinished = await Promise.all(this.disks.map((disk) => disk.unfinished()))
    return [...(await remaining()), ...unfinished.flat()]
  }

  async #enter({ analyses, files: count, largeBytes }: Sizes): Promise<void> {
    const researcher = this.#researcher
    const registries = []
    for (const { access } of this.#registries) {
      const id = await researcher.enterRegistry({ name: access.host, ...access })
      registries.push({ id, host: access.host })
    }
    const folder = { name: 'local', host: 'local-images' }
    const local = await researcher.core('POST', '/registries', folder)
    const image = { virtualPath: 'python/base', command: 'python3' }
    const masterImageId = await enterMasterImage(this.#hub.folder, image)
    const project = await researcher.project(registries.map(({ id }) => id))
    const studies: Study[] = []
    for (let n = 0; n < analyses; n++) {
      const files: Record<string, string> = { 'main.py': `print(${n})\n` }
      for (let file = 0; file < count; file++) {
        files[`lib/part_${file}.py`] = `x = ${file}\n`.repeat(500)
      }
      files['data/large.txt'] = randomBytes(largeBytes / 2).toString('hex')
      const registry = n % 2 === 0 ? registries[0]! : local
      const more = { registryId: registry.id }
      const id = await researcher.analysis(project, masterImageId, files, more)
      await researcher.command(id, 'configurationLock')
      studies.push({ id, places: await this.#placesOf(id, registry, project.nodes) })
    }
    this.#studies = studies
  }

  async #placesOf(
    id: string,
    registry: Record<string, any>,
    nodes: readonly Record<string, any>[]
  ): Promise<ImageCopy[]> {
    const filter = `filter[registryId]=${registry.id}&filter[type]=incoming`
    const [incoming] = await this.#researcher.core('GET', `/registry-projects?${filter}`)
    const isLocal = registry.host === 'local-images'
    const built = {
      disk: isLocal ? this.images : this.registries[0]!,
      repository: `${isLocal ? 'incoming' : incoming.externalName}/${id}`,
    }
    const given = nodes.map(async (node, n) => {
      const path = `/nodes/${node.id}?include=registryProject`
      const { registryProject } = await this.#researcher.core('GET', path)
      return {
        disk: this.registries[n]!,
        repository: `${registryProject.externalName}/${id}`,
      }
    })
    return [built, ...(await Promise.all(given))]
  }

  async #distributed({ id }: Study): Promise<string> {
    const researcher = this.#researcher
    const before = await researcher.core('GET', `/analyses/${id}`)
    if (before.buildStatus === 'executed') {
      await researcher.command(id, 'distributionCheck')
      await researcher.distributed(id, ['failed'], DONE_MS)
      await researcher.command(id, 'buildCheck')
      await researcher.built(id, ['failed'], DONE_MS)
    }
    await researcher.command(id, 'buildStart')
    const { buildStatus, buildHash } = await researcher.built(id, undefined, DONE_MS)
    if (buildStatus !== 'executed') {
      throw new Error(`${id} was built: ${buildStatus}; ${await this.#explain(id)}`)
    }
    await researcher.command(id, 'distributionStart')
    const { distributionStatus } = await researcher.distributed(id, undefined, DONE_MS)
    const nodes = await researcher.core('GET', `/analysis-nodes?filter[analysisId]=${id}`)
    const digests = nodes.map(({ artifactDigest }: { artifactDigest: string }) => artifactDigest)
    if (distributionStatus !== 'executed' || digests.some((one: string) => one !== buildHash)) {
      const how = [distributionStatus, ...digests].join()
      throw new Error(`${id} was distributed: ${how}; ${await this.#explain(id)}`)
    }
    return buildHash
  }

  async #explain(id: string): Promise<string> {
    return JSON.stringify(await this.#researcher.core('GET', `/analyses/${id}/explain`))
  }
}
