import { clock } from '#kernel/clock'
import { copyImage } from '#oci/copy_image'
import { LATEST } from '#oci/image_names'
import type { ImageStore } from '#oci/image_store'
import { platformImage, imageSize, type PlatformImage } from '#oci/platform_image'
import type { JobContext } from '#worker/job'
import { JobFailure } from '#worker/job_failure'
import type { ImageBuild } from './builder_settings.js'
import { buildFolder } from './build_folder.js'
import { Buildah } from '#worker/master_images/buildah/buildah'
import { ForeignImages, type ForeignImage } from './foreign_images.js'
import { signMasterImage } from './sign_master_image.js'
import type { Context } from '#worker/master_images/sources/source'

/** Percent of the progress for the build; the rest is for copying. */
const BUILD_SHARE = 70
const COMPLETE = 100

/** Provides a master image from its material: imports, mirrors or builds it. */
export async function makeImage(build: ImageBuild): Promise<PlatformImage> {
  const { material, job } = build
  switch (material.kind) {
    case 'imported':
      return copyToLocation(build, 0, {
        store: await importStore(job),
        repository: `master/${build.image.virtualPath}`,
        reference: LATEST,
      })
    case 'reference':
      return copyToLocation(build, 0, await foreignImage(build, material.reference))
    case 'context':
      if (await isBuildable(build)) {
        return buildAndSign(build, material)
      }
  }
  return copyToLocation(build, 0, await mirrorImage(build))
}

async function buildAndSign(build: ImageBuild, context: Context): Promise<PlatformImage> {
  const { job } = build
  const startedAt = clock.now()
  const { bases, ...from } = await buildFolder(build, (share) =>
    job.progress(BUILD_SHARE * share, COMPLETE)
  )
  const image = await copyToLocation(build, BUILD_SHARE, from)
  await signMasterImage(build, { image: image.stored, context, bases, startedAt })
  return image
}

async function isBuildable({ settings: { buildah }, job }: ImageBuild): Promise<boolean> {
  const version = buildah && (await Buildah.version(buildah))
  if (version) {
    job.log.info(`Building with ${version}`)
  }
  return version !== undefined
}

async function mirrorImage(build: ImageBuild): Promise<ForeignImage> {
  const { settings, image, material } = build
  if (settings.mirror !== undefined) {
    return foreignImage(build, settings.mirror.replaceAll('{virtualPath}', image.virtualPath))
  }
  throw material.kind === 'context'
    ? new JobFailure(
        'imageBuilderNotFound',
        `${image.virtualPath} has a Dockerfile, but no image builder is available: ` +
          'install buildah, or set MASTER_IMAGES_MIRROR to a registry that has the image'
      )
    : new JobFailure(
        'imageSourceNotFound',
        `${image.virtualPath} has neither a Dockerfile nor an image reference`
      )
}

async function importStore({ locations }: JobContext): Promise<ImageStore> {
  const { store } = await locations.folder()
  return store
}

function foreignImage({ job }: ImageBuild, reference: string): Promise<ForeignImage> {
  return new ForeignImages(job.locations, job.platform).at(reference)
}

/** Copies the image to its location, for the default platform only. */
async function copyToLocation(
  { job, location, repository, image }: ImageBuild,
  progressBefore: number,
  from: ForeignImage
): Promise<PlatformImage> {
  const source = await platformImage(from.store, from.repository, from.reference)
  const total = imageSize(source.manifest)
  const store = await location.masterStore()
  let bytes = 0
  await job.log.stage(`Copy ${image.virtualPath} to ${location.name}`, () =>
    copyImage(
      { ...from, reference: source.stored.digest },
      { store, repository },
      {
        tag: LATEST,
        withReferrers: true,
        onBytes: (more) => {
          bytes += more
          job.progress(
            progressBefore + ((COMPLETE - progressBefore) * bytes) / (total || 1),
            COMPLETE
          )
        },
      }
    )
  )
  return platformImage(location.store, repository, LATEST)
}
