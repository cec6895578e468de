import vine from '@vinejs/vine'

import { body } from '#kernel/body'
import { COMPONENTS } from '#worker/components'
import { defineJob, type Job } from '#worker/job'
import { JobFailure } from '#worker/job_failure'
import { mergeListings } from './merge_listings.js'
import type { SourcesOf } from './sources_of.js'

const nameRule = () => vine.string().minLength(1).maxLength(256)

const content = body({ owner: nameRule(), repository: nameRule(), branch: nameRule() })

/**
 * Reports all images of all sources to the platform. Fails if a source cannot be read, so that its images are not
 * deleted.
 */
export function synchronizeImages(sourcesOf: SourcesOf): Job {
  return defineJob({
    component: COMPONENTS.masterImageSynchronizer,
    command: 'execute',
    content,
    async run(repository, { platform, locations, log, signal }) {
      const listings = []
      for (const source of await sourcesOf({ repository, locations, platform })) {
        const listing = await log.stage(`Read the images of ${source.name}`, () =>
          source.list(signal)
        )
        listings.push(listing)
        for (const { kind, virtualPath, message } of listing.faults) {
          log.warn(`The ${kind} ${virtualPath} is left unchanged: ${message}`)
        }
      }
      const known = {
        images: await platform.masterImages(),
        groups: await platform.masterImageGroups(),
      }
      const { images, groups } = mergeListings(listings, known)
      if (images.length === 0) {
        throw new JobFailure(
          'imagesNotFound',
          'No source has any image: import one, with archive in IMAGE_SOURCE, or check MASTER_IMAGES_URL'
        )
      }
      log.info(`Found ${images.length} images in ${groups.length} groups`)
      return { images, groups }
    },
  })
}
