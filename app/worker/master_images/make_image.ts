import { clock } from '#kernel/clock'
import { copyImage } from '#oci/copy_image'
import { LATEST } from '#oci/image_names'
import type { ImageStore } from '#oci/image_store'
import { platformImage, imageSize, type PlatformImage } from '#oci/platform_image'
import type { Work } from '#worker/job'
import { JobFailure } from '#worker/job_failure'
import type { Making } from './builder_settings.js'
import { buildFolder } from './build_folder.js'
import { Buildah } from '#worker/master_images/buildah/buildah'
import { ForeignImages, type ForeignImage } from './foreign_images.js'
import { signMasterImage } from './sign_master_image.js'
import type { Context } from '#worker/master_images/sources/source'

/** Building is most of the work; what is copied then counts for the rest. */
const BUILT = 70
const WHOLE = 100

/** Has an image be in its repository, by whatever it is made from. */
export async function makeImage(making: Making): Promise<PlatformImage> {
  const { material, work } = making
  switch (material.kind) {
    case 'imported':
      return brought(making, 0, {
        store: await importedIn(work),
        repository: `master/${making.image.virtualPath}`,
        reference: LATEST,
      })
    case 'reference':
      return brought(making, 0, await foreign(making, material.reference))
    case 'context':
      if (await isBuildable(making)) {
        return built(making, material)
      }
  }
  return brought(making, 0, await ofMirror(making))
}

async function built(making: Making, context: Context): Promise<PlatformImage> {
  const { work } = making
  const startedAt = clock.now()
  const { bases, ...from } = await buildFolder(making, (share) =>
    work.progress(BUILT * share, WHOLE)
  )
  const image = await brought(making, BUILT, from)
  await signMasterImage(making, { image: image.stored, context, bases, startedAt })
  return image
}

async function isBuildable({ settings: { buildah }, work }: Making): Promise<boolean> {
  const version = buildah && (await Buildah.version(buildah))
  if (version) {
    work.log.info(`Builds are done by ${version}`)
  }
  return version !== undefined
}

async function ofMirror(making: Making): Promise<ForeignImage> {
  const { settings, image, material } = making
  if (settings.mirror !== undefined) {
    return foreign(making, settings.mirror.replaceAll('{virtualPath}', image.virtualPath))
  }
  throw material.kind === 'context'
    ? new JobFailure(
        'imageBuilderNotFound',
        `${image.virtualPath} has a Dockerfile, and there is nothing here to build it with: ` +
          'install buildah, or say in MASTER_IMAGES_MIRROR which registry has the image'
      )
    : new JobFailure(
        'imageSourceNotFound',
        `${image.virtualPath} has neither a Dockerfile nor an image that it is taken from`
      )
}

async function importedIn({ places }: Work): Promise<ImageStore> {
  const { store } = await places.folder()
  return store
}

function foreign({ work }: Making, reference: string): Promise<ForeignImage> {
  return new ForeignImages(work.places, work.platform).at(reference)
}

/** Copies it to where it belongs: for one kind of machine, however many it is for. */
async function brought(
  { work, place, repository, image }: Making,
  done: number,
  from: ForeignImage
): Promise<PlatformImage> {
  const found = await platformImage(from.store, from.repository, from.reference)
  const total = imageSize(found.manifest)
  const store = await place.masterStore()
  let bytes = 0
  await work.log.stage(`Bring ${image.virtualPath} to ${place.name}`, () =>
    copyImage(
      { ...from, reference: found.stored.digest },
      { store, repository },
      {
        tag: LATEST,
        withReferrers: true,
        onBytes: (more) => {
          bytes += more
          work.progress(done + ((WHOLE - done) * bytes) / (total || 1), WHOLE)
        },
      }
    )
  )
  return platformImage(place.store, repository, LATEST)
}
