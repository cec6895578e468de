import { inject } from '@adonisjs/core'
import { Logger } from '@adonisjs/core/logger'

import { coreSettings } from '#core/core_settings'
import { AcceptedKeys } from '#core/image_keys/accepted_keys'
import type { Analysis } from '#core/analyses/analysis'
import type { ImageRepository } from '#oci/copy_blob'
import { ImageMissing } from '#oci/errors'
import { isDigest } from '#oci/image_names'
import { SignatureRejected } from '#oci/signing/signature_rejected'
import { verifyImage } from '#oci/signing/verify_image'
import type { Row } from '#records/row'
import { BuildLocations } from './build_locations.js'

type AnalysisBuild = Pick<Row<typeof Analysis>, 'id' | 'registryId' | 'buildStatus' | 'buildHash'>

/**
 * Checks whether the build of an analysis has a signature of this hub. Builds of other workers are not signed and not
 * found here. A missing build, or a check that fails or times out, does not prevent that: the worker that distributes
 * the build verifies it again.
 */
@inject()
export class BuildSignatures {
  readonly #locations: BuildLocations
  readonly #keys: AcceptedKeys
  readonly #logger: Logger

  constructor(locations: BuildLocations, keys: AcceptedKeys, logger: Logger) {
    this.#locations = locations
    this.#keys = keys
    this.#logger = logger
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
      const location = await this.#locations.find(id, registryId)
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
    const limitedStore = store.within(AbortSignal.timeout(coreSettings().signatureTimeoutMs))
    try {
      const keys = await this.#keys.all()
      await verifyImage({ store: limitedStore, repository }, digest, keys, { name })
    } finally {
      store.close()
    }
  }

  async #interpretFailure(error: unknown, id: string, digest: string): Promise<string | undefined> {
    if (error instanceof ImageMissing) {
      return undefined
    }
    const logger = this.#logger
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
