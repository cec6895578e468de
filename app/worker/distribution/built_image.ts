import { isDigest } from '#oci/image_names'
import { ImageMissing } from '#oci/errors'
import { imageSize, platformImage } from '#oci/platform_image'
import type { ImageRepository } from '#oci/copy_blob'
import { contentIn, LABELS } from '#worker/analysis_builder/labels'
import type { ImageLocation, ImageLocations } from '#worker/images/image_locations'
import { JobFailure } from '#worker/job_failure'
import type { RecordOf } from '#worker/platform/records'
import { TAG } from './targets.js'

type Analysis = RecordOf<'analysis'>

/** The image of an analysis at its build location. */
export interface BuiltImage extends ImageRepository {
  readonly reference: string
  readonly size: number
  /** Digests of the layers. */
  readonly layers: readonly string[]
  /** The content digest from the label, if there is one. */
  readonly content: string | undefined
}

/** The image with the digest known to the platform. If that is not a registry digest, the latest image. */
export async function builtImage(
  locations: ImageLocations,
  analysis: Analysis
): Promise<BuiltImage> {
  const found = await locations.findBuild(analysis.id, (location) => imageIn(location, analysis))
  if (!found) {
    throw new JobFailure(
      'imageNotFound',
      'No registry or folder has the image of the analysis; build it again'
    )
  }
  return found
}

async function imageIn(
  location: ImageLocation,
  { id, buildHash }: Analysis
): Promise<BuiltImage | undefined> {
  const reference = isDigest(buildHash) ? buildHash : TAG
  try {
    const { store } = location
    const repository = await location.build(id)
    const { stored, manifest, config } = await platformImage(store, repository, reference)
    const { digest } = stored
    const content = contentOf(config.content)
    const layers = manifest.layers.map((layer) => layer.digest)
    return { store, repository, reference: digest, size: imageSize(manifest), layers, content }
  } catch (error) {
    if (error instanceof ImageMissing) {
      return undefined
    }
    throw error
  }
}

function contentOf(content: object): string | undefined {
  const { config } = content as { config?: { Labels?: Record<string, unknown> | null } }
  return contentIn({ content: config?.Labels?.[LABELS.content] })
}
