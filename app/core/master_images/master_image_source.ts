import { env } from '#start/env'

/** The repository that images and their groups are synchronized with. */
export const MASTER_IMAGE_SOURCE = {
  owner: env.MASTER_IMAGES_OWNER,
  repository: env.MASTER_IMAGES_REPOSITORY,
  branch: env.MASTER_IMAGES_BRANCH,
} as const
