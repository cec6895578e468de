import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'

import { body } from '#kernel/body'
import { requireRepository } from '#oci/image_names'
import { imageSize } from '#oci/platform_image'
import { COMPONENTS } from '#worker/components'
import { defineJob, type Job } from '#worker/job'
import { JobFailure } from '#worker/job_failure'
import { recordId } from '#worker/platform/records'
import { Buildah } from '#worker/master_images/buildah/buildah'
import type { BuilderSettings } from './builder_settings.js'
import { WorkFolders } from '#worker/master_images/buildah/work_folders'
import { makeImage } from './make_image.js'
import type { ImageSource, Material, WantedImage } from '#worker/master_images/sources/source'

const content = body({ id: recordId() })

/** Builds a master image and pushes it to where analyses use it. */
export function buildMasterImage(settings: BuilderSettings): Job {
  const remove = settings.buildah && Buildah.removal(settings.buildah)
  const folders = new WorkFolders(settings.workPath, remove)
  return defineJob({
    component: COMPONENTS.masterImageBuilder,
    command: 'execute',
    content,
    async run({ id }, job) {
      const { platform, locations, log, signal } = job
      const image = await platform.masterImage(id)
      if (!image) {
        throw new JobFailure('masterImageNotFound', 'The image no longer exists')
      }
      const location = await locations.forMasterImages()
      const repository = await location.masterImage(image.virtualPath)
      requireRepository(repository)
      const sources = await settings.sourcesOf({
        repository: settings.repository,
        locations,
        platform,
      })
      const made = await folders.use(async (folder) => {
        const context = join(folder, 'context')
        await mkdir(context)
        const material = await log.stage(`Find the source of ${image.virtualPath}`, () =>
          materialOf(sources, image, context, signal)
        )
        return makeImage({ settings, job, image, location, repository, folder, material })
      })
      return {
        hash: made.stored.digest,
        size: imageSize(made.manifest),
        os: made.config.os,
      }
    },
  })
}

async function materialOf(
  sources: readonly ImageSource[],
  wanted: WantedImage,
  folder: string,
  signal: AbortSignal
): Promise<Material> {
  for (const source of sources) {
    const material = await source.material(wanted, folder, signal)
    if (material) {
      return material
    }
  }
  const where = sources.map(({ name }) => name).join(', ')
  throw new JobFailure(
    'imageSourceNotFound',
    `${where} has no image ${wanted.virtualPath}; synchronize the images`
  )
}
