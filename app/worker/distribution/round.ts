import { copyManifest } from '#oci/copy_image'
import type { ImageRepository } from '#oci/copy_blob'
import { ImageFailure, RegistryResponseInvalid, RegistryDenied } from '#oci/errors'
import type { ImageStore } from '#oci/image_store'
import { putSignature, type SignedImage } from '#oci/signing/copy_signature'
import { inParallel } from '#kernel/in_parallel'
import { NotSetUp } from '#worker/images/places'
import type { Work } from '#worker/job'
import { isPlatformAway } from '#worker/platform/problems'
import type { BuiltImage } from './built_image.js'
import type { LastLook } from './last_look.js'
import { Stall } from './stall.js'
import { TAG, type Destination, type Target } from './targets.js'
import { unserved, type Verdict } from './verdict.js'

/** Registries at a time, and nodes of each: one that is slow holds up its own nodes only. */
const REGISTRIES_AT_ONCE = 16
const NODES_AT_ONCE = 6

export interface Task {
  readonly image: BuiltImage
  /** Its signature was found to be good. */
  readonly signed: SignedImage
  readonly look: LastLook
  readonly work: Work
  readonly stallMs: number
  readonly onBytes: (bytes: number) => void
}

/** Brings an image to nodes, to each once, and answers what became of every one. It fails only where the job is over. */
export async function serveAll(
  destinations: readonly Destination[],
  task: Task
): Promise<Map<string, { verdict: Verdict; isPassing: boolean }>> {
  const outcomes = new Map<string, { verdict: Verdict; isPassing: boolean }>()
  await inParallel(destinations, REGISTRIES_AT_ONCE, async (destination) => {
    const registry = new RegistryRound(destination, task)
    await registry.serve((target, verdict, isPassing) =>
      outcomes.set(target.nodeId, { verdict, isPassing })
    )
  })
  return outcomes
}

type Note = (target: Target, verdict: Verdict, isPassing: boolean) => void

/** The nodes of one registry. What one of them has need not be brought there for the others. */
class RegistryRound {
  readonly #destination: Destination
  readonly #task: Task
  #from: ImageRepository
  /** Why there is no use in asking this registry any more, for now. */
  #away: unknown

  constructor(destination: Destination, task: Task) {
    this.#destination = destination
    this.#task = task
    this.#from = task.image
  }

  async serve(note: Note): Promise<void> {
    const { targets, place } = this.#destination
    const isElsewhere = place.store.storageId !== this.#task.image.store.storageId
    const first = isElsewhere ? targets.slice(0, 1) : []
    await inParallel(first, 1, (target) => this.#serveOne(target, note))
    await inParallel(targets.slice(first.length), NODES_AT_ONCE, (target) =>
      this.#serveOne(target, note)
    )
  }

  async #serveOne(target: Target, note: Note): Promise<void> {
    const { nodeId, name } = target
    const { work } = this.#task
    try {
      if (this.#away !== undefined) {
        throw this.#away
      }
      const log = work.log.about({ nodeId })
      const where = this.#destination.place.name
      const artifactDigest = await log.stage(`Bring the image to ${name} in ${where}`, () =>
        this.#bring(target)
      )
      note(target, { nodeId, status: 'executed', artifactTag: TAG, artifactDigest }, false)
    } catch (error) {
      work.signal.throwIfAborted()
      if (isPlatformAway(error)) {
        throw error
      }
      const isPassing = error instanceof ImageFailure && error.isTransient
      this.#away ??= isPassing ? error : undefined
      note(target, unserved(nodeId, this.#reasonOf(error, target)), isPassing)
    }
  }

  /** Registries say of a project that they do not have that it may not be written to. */
  #reasonOf(error: unknown, { repository, isLinked }: Target): unknown {
    const [project] = repository.split('/')
    return error instanceof RegistryDenied && !isLinked
      ? new NotSetUp(
          `The project ${project} of the node is not in ${this.#destination.place.name} yet; it has to be linked`
        )
      : error
  }

  async #bring({ nodeId, name, repository }: Target): Promise<string> {
    const { signed, look, work, stallMs, onBytes } = this.#task
    const stall = new Stall(work.signal, stallMs, `the image of ${name}`)
    const store = this.#destination.place.store.within(stall.signal)
    const from = this.#from
    try {
      await copyManifest(
        { ...from, store: from.store.within(stall.signal) },
        { store, repository },
        signed.image,
        {
          tag: TAG,
          beforeManifest: async () => {
            await look.requireAgreement(nodeId)
            await putSignature({ ...signed, from }, { store, repository })
          },
          onBytes: (bytes) => {
            stall.moved()
            onBytes(bytes)
          },
        }
      )
      const { digest } = signed.image
      await requireThere(store, repository, digest)
      if (from.store.storageId !== store.storageId) {
        this.#from = { store: this.#destination.place.store, repository }
      }
      return digest
    } finally {
      stall.end()
    }
  }
}

/** What nodes will ask for is asked for once, whatever was answered when it was written. */
async function requireThere(store: ImageStore, repository: string, digest: string): Promise<void> {
  const found = await store.manifest(repository, TAG)
  if (found?.digest !== digest) {
    throw new RegistryResponseInvalid(
      `${repository} was taken as ${digest}, and is ${found?.digest ?? 'not there'}`
    )
  }
}
