import { copyImage } from '#oci/copy_image'
import { ImageMissing } from '#oci/errors'
import { LATEST } from '#oci/image_names'
import { platformImage, type PlatformImage } from '#oci/platform_image'
import { JobFailure } from '#worker/job_failure'
import type { JobLog } from '#worker/job_log'
import { NotSetUp, type Place, type Places } from './places.js'

/** The image of a master image where it is to be used: there already, or copied from where it is found. */
export async function baseImage(
  places: Places,
  place: Place,
  virtualPath: string,
  log: JobLog
): Promise<PlatformImage> {
  const repository = await place.masterImage(virtualPath)
  const there = await platformImage(place.store, repository, LATEST).catch(unlessMissing)
  if (there) {
    return there
  }
  const from = await elsewhere(places, place, virtualPath)
  const store = await place.masterStore()
  await log.stage(`Copy the image ${virtualPath} from ${from.name} to ${place.name}`, () =>
    copyImage(
      { store: from.store, repository: from.repository, reference: LATEST },
      { store, repository },
      { tag: LATEST, withReferrers: true }
    )
  )
  return platformImage(place.store, repository, LATEST)
}

function unlessMissing(error: unknown): undefined {
  if (!(error instanceof ImageMissing)) {
    throw error
  }
}

async function elsewhere(places: Places, place: Place, virtualPath: string) {
  for (const other of await places.all()) {
    const repository = await repositoryIn(other, virtualPath)
    if (
      repository !== undefined &&
      other.store.storageId !== place.store.storageId &&
      (await other.store.manifest(repository, LATEST))
    ) {
      return { store: other.store, name: other.name, repository }
    }
  }
  throw new JobFailure(
    'masterImageNotFound',
    `No registry and no folder has the image ${virtualPath}: import it, or have it built`
  )
}

/** A registry that was never set up has no images. */
async function repositoryIn(place: Place, virtualPath: string): Promise<string | undefined> {
  try {
    return await place.masterImage(virtualPath)
  } catch (error) {
    if (error instanceof NotSetUp) {
      return undefined
    }
    throw error
  }
}
