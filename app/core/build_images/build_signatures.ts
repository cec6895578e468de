import type { Logger } from '@adonisjs/core/logger'

import type { Analysis } from '#core/analyses/analysis'
import type { ImageRepository } from '#oci/copy_blob'
import { ImageMissing } from '#oci/errors'
import { isDigest } from '#oci/image_names'
import { SignatureRejected } from '#oci/signing/signature_rejected'
import type { ImageKey } from '#oci/signing/image_key'
import { verifyImage } from '#oci/signing/verify_image'
import type { Row } from '#records/row'
import type { BuildShelves } from './build_shelves.js'

interface Needs {
  readonly shelves: Pick<BuildShelves, 'of'>
  /** The keys whose signatures count. */
  readonly keys: () => Promise<readonly ImageKey[]>
  readonly logger: () => Promise<Pick<Logger, 'warn'>>
  readonly limitMs?: number
}

type Built = Pick<Row<typeof Analysis>, 'id' | 'registryId' | 'buildStatus' | 'buildHash'>

/** A caller waits so long, and a registry that answers at all answers in a tenth of it. */
const LIMIT_MS = 3_000

/**
 * Looks whether the build of an analysis carries a signature of this hub. It is found where our worker puts builds, by the digest that was told. What
 * is not found there is of another worker, which signs nothing, or was taken away; then, and where nothing can be seen in time, whoever distributes
 * it decides.
 */
export class BuildSignatures {
  readonly #needs: Needs

  constructor(needs: Needs) {
    this.#needs = needs
  }

  /** The digest of a build that is there and has no good signature; undefined where nothing is known against it. */
  async unfit({ id, registryId, buildStatus, buildHash }: Built): Promise<string | undefined> {
    if (buildStatus !== 'executed' || !isDigest(buildHash)) {
      return undefined
    }
    try {
      const shelf = await this.#needs.shelves.of(id, registryId)
      await (shelf && this.#verify(shelf, buildHash, id))
      return undefined
    } catch (error) {
      return this.#judge(error, id, buildHash)
    }
  }

  async #verify(
    { store, repository }: ImageRepository,
    digest: string,
    name: string
  ): Promise<void> {
    const inTime = store.within(AbortSignal.timeout(this.#needs.limitMs ?? LIMIT_MS))
    try {
      const keys = await this.#needs.keys()
      await verifyImage({ store: inTime, repository }, digest, keys, { name })
    } finally {
      store.close()
    }
  }

  async #judge(error: unknown, id: string, digest: string): Promise<string | undefined> {
    if (error instanceof ImageMissing) {
      return undefined
    }
    const logger = await this.#needs.logger()
    const { code, message } = error as { code?: unknown; message?: string }
    if (error instanceof SignatureRejected) {
      logger.warn({ analysisId: id, digest, reason: code }, 'a build has no good signature')
      return digest
    }
    logger.warn(
      { analysisId: id, digest, reason: message },
      'the signature of a build could not be looked at'
    )
    return undefined
  }
}
