import type { BaseCommand } from '@adonisjs/core/ace'

import type { Env } from '#configuration/variables'
import { FOLDER_PROJECTS } from '#oci/folder/folder_projects'

interface ImportedImage {
  readonly repository: string
  readonly tag: string
  readonly digest: string
}

/** Says where an imported image is, and what to change if the worker would not list it as a master image. */
export function reportImport(
  { logger }: BaseCommand,
  { repository, tag, digest }: ImportedImage,
  { IMAGES_PATH, IMAGE_SOURCE }: Pick<Env, 'IMAGES_PATH' | 'IMAGE_SOURCE'>
): void {
  logger.success(`${repository}:${tag} is in ${IMAGES_PATH}, as ${digest}`)
  const isMasterImage = repository.startsWith(`${FOLDER_PROJECTS.masterImages}/`)
  if (isMasterImage && !IMAGE_SOURCE.includes('archive')) {
    logger.warning(
      `"hubctl image sync" does not list it, because IMAGE_SOURCE is ${IMAGE_SOURCE.join() || 'none'}: add archive to IMAGE_SOURCE of the worker, and restart the worker`
    )
  }
}
