import { randomUUID } from 'node:crypto'

import type { ImageStore } from '#oci/image_store'
import { digestOf } from '#oci/verified_bytes'
import { storedManifest } from '#oci/manifest'
import { MEDIA_TYPES } from '#oci/media_types'
import { signImage } from '#oci/signing/sign_image'
import { SigningKey } from '#oci/signing/signing_key'
import type { ShippedLine } from '#shipping/log_task'
import { COMPONENTS } from '#worker/components'
import { ImageLocations, type ImageStores } from '#worker/images/image_locations'
import { Signing } from '#worker/images/signing'
import type { Job, JobContext } from '#worker/job'
import { JobLog } from '#worker/job_log'
import { buildFacts } from '#tests/helpers/oci/signed_images/build_facts'
import { StandInPlatform } from './stand_in_platform.js'

const words = MEDIA_TYPES.oci
export const CONTENT = 'c'.repeat(64)

export interface RegistryOfScene {
  readonly host: string
  readonly accountName?: string | null
  readonly accountSecret?: string | null
}

async function* chunks(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield bytes
}

/** The signing key of the worker. */
export const KEY = SigningKey.derivedFrom('a key of an application, long enough')

/** Pushes and signs an image with random layers. Returns its digest. */
export async function pushBuild(
  store: ImageStore,
  repository: string,
  layers: readonly Uint8Array[],
  content = CONTENT
): Promise<string> {
  const blobs = []
  for (const bytes of layers) {
    blobs.push(await store.writeBlob(repository, () => chunks(bytes)))
  }
  const config = Buffer.from(
    JSON.stringify({
      os: 'linux',
      architecture: 'amd64',
      config: { Labels: { 'analysis-hub.content': content } },
      rootfs: { type: 'layers', diff_ids: layers.map((bytes) => digestOf(Buffer.from(bytes))) },
    })
  )
  const manifest = storedManifest(words.manifest, {
    schemaVersion: 2,
    mediaType: words.manifest,
    config: {
      mediaType: words.config,
      ...(await store.writeBlob(repository, () => chunks(config))),
    },
    layers: blobs.map((blob) => ({ mediaType: words.layer, ...blob })),
  })
  await store.putManifest(repository, manifest, 'latest')
  const name = repository.slice(repository.lastIndexOf('/') + 1)
  await signImage({ store, repository }, manifest, buildFacts({ name }), KEY)
  return manifest.digest
}

/** A built analysis with nodes and registries, on a platform that the test controls. */
export class DistributionScene {
  readonly id: string
  readonly lines: ShippedLine[] = []
  readonly progress: number[] = []
  readonly #stores: ImageStores

  private constructor(
    readonly platform: StandInPlatform,
    stores: ImageStores,
    id: string = randomUUID()
  ) {
    this.#stores = stores
    this.id = id
  }

  static async set(stores: ImageStores): Promise<DistributionScene> {
    const platform = await StandInPlatform.start()
    const scene = new DistributionScene(platform, stores)
    platform.analysis = {
      id: scene.id,
      registryId: null,
      buildStatus: 'executed',
      distributionStatus: 'starting',
      buildNodesValid: true,
      updatedAt: new Date().toISOString(),
    }
    platform.content = () => scene.agreed()
    return scene
  }

  /** Recreates a scene in another process. */
  static async like(content: ReturnType<DistributionScene['content']>, stores: ImageStores) {
    const platform = await StandInPlatform.start()
    const scene = new DistributionScene(platform, stores, content.id)
    Object.assign(platform, content.records)
    platform.content = () => scene.agreed()
    return scene
  }

  content() {
    const { analysis, analysisNodes, nodes, registries, registryProjects } = this.platform
    return {
      id: this.id,
      folder: '/nowhere',
      records: { analysis, analysisNodes, nodes, registries, registryProjects },
    }
  }

  /** Approvals of all nodes except the named ones. */
  agreed(exceptions: readonly string[] = [], digest = CONTENT) {
    return {
      digest,
      nodes: this.platform.analysisNodes.map(({ nodeId }) => ({
        nodeId,
        agrees: !exceptions.includes(nodeId),
      })),
    }
  }

  registry(access: RegistryOfScene): string {
    const id = randomUUID()
    this.platform.registries.push({ id, name: access.host, ...access })
    for (const type of ['incoming', 'masterImages']) {
      const externalName = `${type.toLowerCase()}-of-${id}`
      this.platform.registryProjects.push({ id: randomUUID(), type, externalName, registryId: id })
    }
    this.platform.analysis.registryId ??= id
    return id
  }

  incomingOf(registryId: string): string {
    const project = this.platform.registryProjects.find(
      (one) => one.registryId === registryId && one.type === 'incoming'
    )
    return `${project!.externalName}/${this.id}`
  }

  /** Adds a node that approved the analysis. Returns its ID and repository. */
  node(registryId: string | null, name = 'a-node'): { id: string; repository: string } {
    const id = randomUUID()
    const externalName = `of-${id}`
    this.platform.nodes.push({
      id,
      name,
      registryId,
      registryProject: registryId && { id: randomUUID(), externalName, registryId },
    })
    this.platform.analysisNodes.push({
      id: randomUUID(),
      analysisId: this.id,
      nodeId: id,
      approvalStatus: 'approved',
    })
    return { id, repository: `${externalName}/${this.id}` }
  }

  run(job: Job, signal: AbortSignal = new AbortController().signal, content?: string) {
    return job.run({ id: this.id }, this.#work(job, signal, content))
  }

  /** `content` is the content digest in the command. */
  #work(job: Job, signal: AbortSignal, content?: string): JobContext {
    const platform = this.platform.client(signal)
    const silent = { info() {}, warn() {}, error() {}, debug() {} }
    return {
      signal,
      platform,
      locations: new ImageLocations(this.#stores, platform, signal),
      signing: new Signing(KEY),
      log: new JobLog(
        { logger: silent, ship: (line) => this.lines.push(line) },
        { component: COMPONENTS.analysisDistributor, command: job.command, id: this.id }
      ),
      command: {
        timestamp: 0,
        routing: { type: 'work', key: job.component.queue },
        ...(content && { content }),
      },
      progress: (current, total) => this.progress.push((100 * current) / total),
    }
  }
}
