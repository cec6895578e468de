import type { ImageRepository } from '#oci/copy_blob'
import { openImageStore } from '#oci/open_image_store'
import { ImageKey } from '#oci/signing/image_key'
import { verifyImage } from '#oci/signing/verify_image'
import { measureStep, requestTracing } from '#tracing/tracing'

import type { Hub } from '#node/hub/hub'
import type { ImageCache, UnpackedImage } from '#node/images/image_cache'
import { ImageRefused } from '#node/errors'
import type { Assignment, HubAnalyses } from './hub_analyses.js'

/** The label with the digest of the approved content. */
const CONTENT_LABEL = 'analysis-hub.content'

export interface AnalysisImagesOptions {
  /** The folder of images, if the hub has no registry. */
  readonly imagesPath: string | undefined
  /** Pinned public keys in PEM. */
  readonly keys: string
}

interface RegistryAccount {
  readonly host: string
  readonly externalName: string
  readonly accountName: string | null
  readonly accountSecret: string | null
}

/** Fetches the image of an analysis from the registry of the node, and rejects any image but the approved one. */
export class AnalysisImages {
  readonly #hub: Hub
  readonly #analyses: HubAnalyses
  readonly #cache: ImageCache
  readonly #imagesPath: string | undefined
  readonly #keys: readonly ImageKey[]

  constructor(
    hub: Hub,
    analyses: HubAnalyses,
    cache: ImageCache,
    { imagesPath, keys }: AnalysisImagesOptions
  ) {
    this.#hub = hub
    this.#analyses = analyses
    this.#cache = cache
    this.#imagesPath = imagesPath
    this.#keys = ImageKey.allIn(keys, 'The signing key of the hub')
  }

  /** Returns an unpacked image after checking digest, signature and content against the approval. */
  async prepare(assignment: Assignment, signal: AbortSignal): Promise<UnpackedImage> {
    const { analysisId, artifactDigest } = assignment
    if (artifactDigest === null) {
      throw new ImageRefused('The analysis has no distributed image')
    }
    const repository = await this.#repositoryOf(assignment, signal)
    try {
      await measureStep({ name: 'Verify the signature' }, () =>
        verifyImage(repository, artifactDigest, this.#keys, { name: analysisId })
      )
      const { store, repository: name } = repository
      const image = await measureStep({ name: 'Unpack the image' }, () =>
        this.#cache.acquire(store, name, artifactDigest, signal)
      )
      try {
        await this.#requireApprovedContent(analysisId, image)
      } catch (error) {
        await image.release()
        throw error
      }
      return image
    } finally {
      repository.store.close()
    }
  }

  async #repositoryOf(
    { nodeId, analysisId }: Assignment,
    signal: AbortSignal
  ): Promise<ImageRepository> {
    const account = await this.#hub.json<RegistryAccount>(
      'core',
      `/nodes/${nodeId}/registry/credentials`,
      { signal }
    )
    const { host, externalName, accountName, accountSecret } = account
    const store = await openImageStore(
      { host, accountName, accountSecret },
      {
        tracing: requestTracing,
        ...(this.#imagesPath !== undefined && { imagesPath: this.#imagesPath }),
      }
    )
    return { store: store.within(signal), repository: `${externalName}/${analysisId}` }
  }

  async #requireApprovedContent(analysisId: string, image: UnpackedImage): Promise<void> {
    const { digest } = await this.#analyses.content(analysisId)
    if (image.labels[CONTENT_LABEL] !== digest) {
      throw new ImageRefused('The image does not contain the approved content')
    }
  }
}
