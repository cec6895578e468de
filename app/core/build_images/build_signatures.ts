import type { Logger } from '@adonisjs/core/logger'

import type { Analysis } from '#core/analyses/analysis'
import type { ImageRepository } from '#oci/copy_blob'
import { ImageMissing } from '#oci/errors'
import { isDigest } from '#oci/image_names'
import { SignatureRejected } from '#oci/signing/signature_rejected'
import type { ImageKey } from '#oci/signing/image_key'
import { verifyImage } from '#oci/signing/verify_image'
import type { Row } from '#records/row'
import type { BuildLocations } from './build_locations.js'

interface BuildSignaturesDependencies {
  readonly locations: Pick<BuildLocations, 'find'>
  /** The keys whose signatures are accepted. */
  readonly keys: () => Promise<readonly ImageKey[]>
  readonly logger: () => Promise<Pick<Logger, 'warn'>>
  readonly timeoutMs?: number
}

type AnalysisBuild = Pick<Row<typeof Analysis>, 'id' | 'registryId' | 'buildStatus' | 'buildHash'>

/** The time limit of a check while a caller waits. */
const TIMEOUT_MS = 3_000

/**
 * Checks whether the build of an analysis has a signature of this hub. Builds of other workers are not signed and not found
 * here. A missing build, or a check that fails or times out, is no objection: the worker that distributes the build verifies
 * it again.
 */
export class BuildSignatures {
  readonly #dependencies: BuildSignaturesDependencies

  constructor(dependencies: BuildSignaturesDependencies) {
    this.#dependencies = dependencies
  }

  /** Returns the digest of a build that exists and has no valid signature, else undefined. */
  async findUnsigned({
    id,
    registryId,
    buildStatus,
    buildHash,
  }: AnalysisBuild): Promise<string | undefined> {
    if (buildStatus !== 'executed' || !isDigest(buildHash)) {
      return undefined
    }
    try {
      const location = await this.#dependencies.locations.find(id, registryId)
      await (location && this.#verify(location, buildHash, id))
      return undefined
    } catch (error) {
      return this.#interpretFailure(error, id, buildHash)
    }
  }

  async #verify(
    { store, repository }: ImageRepository,
    digest: string,
    name: string
  ): Promise<void> {
    const limitedStore = store.within(
      AbortSignal.timeout(this.#dependencies.timeoutMs ?? TIMEOUT_MS)
    )
    try {
      const keys = await this.#dependencies.keys()
      await verifyImage({ store: limitedStore, repository }, digest, keys, { name })
    } finally {
      store.close()
    }
  }

  async #interpretFailure(error: unknown, id: string, digest: string): Promise<string | undefined> {
    if (error instanceof ImageMissing) {
      return undefined
    }
    const logger = await this.#dependencies.logger()
    const { code, message } = error as { code?: unknown; message?: string }
    if (error instanceof SignatureRejected) {
      logger.warn({ analysisId: id, digest, reason: code }, 'a build has no valid signature')
      return digest
    }
    logger.warn(
      { analysisId: id, digest, reason: message },
      'the signature of a build could not be verified'
    )
    return undefined
  }
}
