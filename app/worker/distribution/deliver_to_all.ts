import { copyManifest } from '#oci/copy_image'
import type { ImageRepository } from '#oci/copy_blob'
import { ImageFailure, RegistryResponseInvalid, RegistryDenied } from '#oci/errors'
import type { ImageStore } from '#oci/image_store'
import { putSignature, type SignedImage } from '#oci/signing/copy_signature'
import { inParallel } from '#kernel/in_parallel'
import { RegistryProjectMissing } from '#worker/images/image_locations'
import type { JobContext } from '#worker/job'
import { isPlatformUnavailable } from '#worker/platform/platform_errors'
import type { BuiltImage } from './built_image.js'
import type { AgreementCheck } from './agreement_check.js'
import { StallTimeout } from './stall_timeout.js'
import { TAG, type Destination, type Target } from './targets.js'
import { failedNode, type NodeResult } from './node_result.js'

/** Limits concurrency per registry, so that a slow one delays only its own nodes. */
const REGISTRIES_AT_ONCE = 16
const NODES_AT_ONCE = 6

export interface DistributionTask {
  readonly image: BuiltImage
  /** The verified image. */
  readonly signed: SignedImage
  readonly agreement: AgreementCheck
  readonly job: JobContext
  readonly stallMs: number
  readonly onBytes: (bytes: number) => void
}

/** Copies an image to each node once and returns the results. Throws only if the job is interrupted. */
export async function deliverToAll(
  destinations: readonly Destination[],
  task: DistributionTask
): Promise<Map<string, { result: NodeResult; isTransient: boolean }>> {
  const deliveries = new Map<string, { result: NodeResult; isTransient: boolean }>()
  await inParallel(destinations, REGISTRIES_AT_ONCE, async (destination) => {
    const registry = new RegistryDelivery(destination, task)
    await registry.deliver((target, result, isTransient) =>
      deliveries.set(target.nodeId, { result, isTransient })
    )
  })
  return deliveries
}

type OnResult = (target: Target, result: NodeResult, isTransient: boolean) => void

/** Copies to the nodes of one registry. Layers are transferred once and mounted for the others. */
class RegistryDelivery {
  readonly #destination: Destination
  readonly #task: DistributionTask
  #source: ImageRepository
  /** A transient error of the registry; its remaining nodes are skipped. */
  #unavailable: unknown

  constructor(destination: Destination, task: DistributionTask) {
    this.#destination = destination
    this.#task = task
    this.#source = task.image
  }

  async deliver(onResult: OnResult): Promise<void> {
    const { targets, location } = this.#destination
    const isOtherStorage = location.store.storageId !== this.#task.image.store.storageId
    const first = isOtherStorage ? targets.slice(0, 1) : []
    await inParallel(first, 1, (target) => this.#deliverOne(target, onResult))
    await inParallel(targets.slice(first.length), NODES_AT_ONCE, (target) =>
      this.#deliverOne(target, onResult)
    )
  }

  async #deliverOne(target: Target, onResult: OnResult): Promise<void> {
    const { nodeId, name } = target
    const { job } = this.#task
    try {
      if (this.#unavailable !== undefined) {
        throw this.#unavailable
      }
      const log = job.log.withLabels({ nodeId })
      const locationName = this.#destination.location.name
      const artifactDigest = await log.stage(`Copy the image to ${name} in ${locationName}`, () =>
        this.#copyTo(target)
      )
      onResult(target, { nodeId, status: 'executed', artifactTag: TAG, artifactDigest }, false)
    } catch (error) {
      job.signal.throwIfAborted()
      if (isPlatformUnavailable(error)) {
        throw error
      }
      const isTransient = error instanceof ImageFailure && error.isTransient
      this.#unavailable ??= isTransient ? error : undefined
      onResult(target, failedNode(nodeId, this.#reasonOf(error, target)), isTransient)
    }
  }

  /** Registries deny access to projects that do not exist. */
  #reasonOf(error: unknown, { repository, isLinked }: Target): unknown {
    const [project] = repository.split('/')
    return error instanceof RegistryDenied && !isLinked
      ? new RegistryProjectMissing(
          `${this.#destination.location.name} has no project ${project} for the node yet; link it first`
        )
      : error
  }

  async #copyTo({ nodeId, name, repository }: Target): Promise<string> {
    const { signed, agreement, job, stallMs, onBytes } = this.#task
    const stall = new StallTimeout(job.signal, stallMs, `the image of ${name}`)
    const store = this.#destination.location.store.within(stall.signal)
    const source = this.#source
    try {
      await copyManifest(
        { ...source, store: source.store.within(stall.signal) },
        { store, repository },
        signed.image,
        {
          tag: TAG,
          beforeManifest: async () => {
            await agreement.requireAgreement(nodeId)
            await putSignature({ ...signed, from: source }, { store, repository })
          },
          onBytes: (bytes) => {
            stall.refresh()
            onBytes(bytes)
          },
        }
      )
      const { digest } = signed.image
      await requireStored(store, repository, digest)
      if (source.store.storageId !== store.storageId) {
        this.#source = { store: this.#destination.location.store, repository }
      }
      return digest
    } finally {
      stall.clear()
    }
  }
}

/** Verifies that the tag points to the image, independent of the response to the push. */
async function requireStored(store: ImageStore, repository: string, digest: string): Promise<void> {
  const manifest = await store.manifest(repository, TAG)
  if (manifest?.digest !== digest) {
    throw new RegistryResponseInvalid(
      `${repository} should have ${digest}, but has ${manifest?.digest ?? 'no image'}`
    )
  }
}
