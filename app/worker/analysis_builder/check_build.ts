import { body } from '#kernel/body'
import { clock } from '#kernel/clock'
import { LATEST } from '#oci/image_names'
import { inParallel } from '#kernel/in_parallel'
import { imageSize, platformImage, type PlatformImage } from '#oci/platform_image'
import { SignatureRejected } from '#oci/signing/signature_rejected'
import type { ImageKey } from '#oci/signing/image_key'
import { verifyImage } from '#oci/signing/verify_image'
import { COMPONENTS } from '#worker/components'
import type { Place } from '#worker/images/places'
import { defineJob } from '#worker/job'
import { JobFailure, toldFailure } from '#worker/job_failure'
import type { JobLog } from '#worker/job_log'
import { recordId, type RecordOf } from '#worker/platform/records'
import { contentIn, LABELS } from './labels.js'

/** For so long somebody may be at work who says nothing. */
const AT_WORK_MS = 15 * 60_000
const BLOBS_AT_ONCE = 4

/** Looks whether the image of an analysis is where it should be, whoever made it and whatever was told of it. */
export const checkBuild = defineJob({
  component: COMPONENTS.analysisBuilder,
  command: 'check',
  content: body({ id: recordId() }),
  async run({ id }, { platform, places, signing, log, command }) {
    const analysis = await platform.analysis(id)
    if (!analysis) {
      throw new JobFailure('analysisNotFound', 'There is no such analysis')
    }
    const keys = await signing.accepted(platform)
    const content = contentIn(command)
    const image = await places.findBuild(id, (place) =>
      log.stage(`Look for the image in ${place.name}`, () =>
        goodImage(place, { id, content, keys }, log)
      )
    )
    if (image) {
      const { stored, manifest, config } = image
      return { status: 'executed', hash: stored.digest, size: imageSize(manifest), os: config.os }
    }
    const status = verdictOn(analysis)
    return { ...(status && { status, error: toldFailure(NOT_FOUND) }) }
  },
})

const NOT_FOUND = new JobFailure(
  'imageNotFound',
  'No registry and no folder has the whole image, signed and of what the analysis is now; it has to be built again'
)

interface Wanted {
  readonly id: string
  readonly content: string | undefined
  readonly keys: readonly ImageKey[]
}

/** The image of a build in one place; undefined where it is not whole there, of another content, or not signed. */
async function goodImage(
  place: Place,
  { id, content, keys }: Wanted,
  log: JobLog
): Promise<PlatformImage | undefined> {
  const image = await wholeImage(place, id)
  if (image && isOf(image, content) && (await isSigned(place, image, id, keys, log))) {
    return image
  }
  log.info(image ? 'The image is of something else, or not signed' : 'There is no whole image')
  return undefined
}

/** The image of a build with all its parts; undefined where anything of it is missing. */
async function wholeImage(place: Place, id: string): Promise<PlatformImage | undefined> {
  const repository = await place.build(id)
  if (!(await place.store.manifest(repository, LATEST))) {
    return undefined
  }
  const image = await platformImage(place.store, repository, LATEST)
  let isWhole = true
  await inParallel(image.manifest.layers, BLOBS_AT_ONCE, async ({ digest }) => {
    isWhole &&= await place.store.hasBlob(repository, digest)
  })
  return isWhole ? image : undefined
}

/** One that nobody signed was left half done, or somebody else put it there. */
async function isSigned(
  { store }: Place,
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

/** Images that other workers made say nothing of what they are of. */
function isOf({ config }: PlatformImage, content: string | undefined): boolean {
  const { config: run } = config.content as { config?: { Labels?: Record<string, unknown> } }
  const label = run?.Labels?.[LABELS.content]
  return content === undefined || label === undefined || label === content
}

/** What it means that there is no image. Where somebody may still be at work, or took it away after it was distributed, nothing. */
function verdictOn({
  buildStatus,
  distributionStatus,
  updatedAt,
}: RecordOf<'analysis'>): 'failed' | undefined {
  if (buildStatus === 'starting' || buildStatus === 'started') {
    const at = Date.parse(updatedAt ?? '')
    return clock.now() - at > AT_WORK_MS ? 'failed' : undefined
  }
  const isGone = [null, undefined, 'failed', 'stopped'].includes(distributionStatus)
  return buildStatus === 'executed' && !isGone ? undefined : 'failed'
}
