import { body } from '#kernel/body'
import { clock } from '#kernel/clock'
import { LATEST } from '#oci/image_names'
import { inParallel } from '#kernel/in_parallel'
import { imageSize, platformImage, type PlatformImage } from '#oci/platform_image'
import { SignatureRejected } from '#oci/signing/signature_rejected'
import type { ImageKey } from '#oci/signing/image_key'
import { verifyImage } from '#oci/signing/verify_image'
import { COMPONENTS } from '#worker/components'
import type { ImageLocation } from '#worker/images/image_locations'
import { defineJob } from '#worker/job'
import { JobFailure, failureReport } from '#worker/job_failure'
import type { JobLog } from '#worker/job_log'
import { recordId, type RecordOf } from '#worker/platform/records'
import { contentIn, LABELS } from './labels.js'

/** A run without progress for this long has failed. */
const RUN_TIMEOUT_MS = 15 * 60_000
const BLOBS_AT_ONCE = 4

/** Checks whether a valid image of the analysis exists, independent of reported events. */
export const checkBuild = defineJob({
  component: COMPONENTS.analysisBuilder,
  command: 'check',
  content: body({ id: recordId() }),
  async run({ id }, { platform, locations, signing, log, command }) {
    const analysis = await platform.analysis(id)
    if (!analysis) {
      throw new JobFailure('analysisNotFound', 'There is no such analysis')
    }
    const keys = await signing.accepted(platform)
    const content = contentIn(command)
    const image = await locations.findBuild(id, (location) =>
      log.stage(`Look for the image in ${location.name}`, () =>
        findValidImage(location, { id, content, keys }, log)
      )
    )
    if (image) {
      const { stored, manifest, config } = image
      return { status: 'executed', hash: stored.digest, size: imageSize(manifest), os: config.os }
    }
    const status = statusWithoutImage(analysis)
    return { ...(status && { status, error: failureReport(NOT_FOUND) }) }
  },
})

const NOT_FOUND = new JobFailure(
  'imageNotFound',
  'No complete, signed image of the current content was found in any registry or folder; build it again'
)

interface ImageExpectation {
  readonly id: string
  readonly content: string | undefined
  readonly keys: readonly ImageKey[]
}

/** The image of a build, or undefined if it is incomplete, unsigned, or has other content. */
async function findValidImage(
  location: ImageLocation,
  { id, content, keys }: ImageExpectation,
  log: JobLog
): Promise<PlatformImage | undefined> {
  const image = await findCompleteImage(location, id)
  if (image && hasContent(image, content) && (await isSigned(location, image, id, keys, log))) {
    return image
  }
  log.info(image ? 'The image has other content or is not signed' : 'There is no complete image')
  return undefined
}

/** The image of a build, or undefined if a part is missing. */
async function findCompleteImage(
  location: ImageLocation,
  id: string
): Promise<PlatformImage | undefined> {
  const repository = await location.build(id)
  if (!(await location.store.manifest(repository, LATEST))) {
    return undefined
  }
  const image = await platformImage(location.store, repository, LATEST)
  let isComplete = true
  await inParallel(image.manifest.layers, BLOBS_AT_ONCE, async ({ digest }) => {
    isComplete &&= await location.store.hasBlob(repository, digest)
  })
  return isComplete ? image : undefined
}

/** An unsigned image is incomplete or not ours. */
async function isSigned(
  { store }: ImageLocation,
  { repository, stored }: PlatformImage,
  name: string,
  keys: readonly ImageKey[],
  log: JobLog
): Promise<boolean> {
  try {
    await verifyImage({ store, repository }, stored.digest, keys, { name })
    return true
  } catch (error) {
    if (!(error instanceof SignatureRejected)) {
      throw error
    }
    log.warn(error.message)
    return false
  }
}

/** Images of other workers have no content label. */
function hasContent({ config }: PlatformImage, content: string | undefined): boolean {
  const { config: run } = config.content as { config?: { Labels?: Record<string, unknown> } }
  const label = run?.Labels?.[LABELS.content]
  return content === undefined || label === undefined || label === content
}

/**
 * The status if there is no image. Undefined if a run may still be active, or the image was removed after distribution.
 */
function statusWithoutImage({
  buildStatus,
  distributionStatus,
  updatedAt,
}: RecordOf<'analysis'>): 'failed' | undefined {
  if (buildStatus === 'starting' || buildStatus === 'started') {
    const at = Date.parse(updatedAt ?? '')
    return clock.now() - at > RUN_TIMEOUT_MS ? 'failed' : undefined
  }
  const isRemoved = [null, undefined, 'failed', 'stopped'].includes(distributionStatus)
  return buildStatus === 'executed' && !isRemoved ? undefined : 'failed'
}
