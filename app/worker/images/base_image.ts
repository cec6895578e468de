import { copyImage } from '#oci/copy_image'
import { ImageMissing } from '#oci/errors'
import { LATEST } from '#oci/image_names'
import { platformImage, type PlatformImage } from '#oci/platform_image'
import { JobFailure } from '#worker/job_failure'
import type { JobLog } from '#worker/job_log'
import {
  RegistryProjectMissing,
  type ImageLocation,
  type ImageLocations,
} from './image_locations.js'

/** The master image at a location, copied from another location if needed. */
export async function baseImage(
  locations: ImageLocations,
  location: ImageLocation,
  virtualPath: string,
  log: JobLog
): Promise<PlatformImage> {
  const repository = await location.masterImage(virtualPath)
  const existing = await platformImage(location.store, repository, LATEST).catch(ignoreMissing)
  if (existing) {
    return existing
  }
  const from = await findElsewhere(locations, location, virtualPath)
  const store = await location.masterStore()
  await log.stage(`Copy the image ${virtualPath} from ${from.name} to ${location.name}`, () =>
    copyImage(
      { store: from.store, repository: from.repository, reference: LATEST },
      { store, repository },
      { tag: LATEST, withReferrers: true }
    )
  )
  return platformImage(location.store, repository, LATEST)
}

function ignoreMissing(error: unknown): undefined {
  if (!(error instanceof ImageMissing)) {
    throw error
  }
}

async function findElsewhere(
  locations: ImageLocations,
  location: ImageLocation,
  virtualPath: string
) {
  for (const other of await locations.all()) {
    const repository = await repositoryIn(other, virtualPath)
    if (
      repository !== undefined &&
      other.store.storageId !== location.store.storageId &&
      (await other.store.manifest(repository, LATEST))
    ) {
      return { store: other.store, name: other.name, repository }
    }
  }
  throw new JobFailure(
    'masterImageNotFound',
    `No registry or folder has the image ${virtualPath}: import or build it`
  )
}

/** A registry without projects has no images. */
async function repositoryIn(
  location: ImageLocation,
  virtualPath: string
): Promise<string | undefined> {
  try {
    return await location.masterImage(virtualPath)
  } catch (error) {
    if (error instanceof RegistryProjectMissing) {
      return undefined
    }
    throw error
  }
}
