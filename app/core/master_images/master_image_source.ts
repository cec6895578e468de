/** The repository that images and their groups are synchronized with. */
export const MASTER_IMAGE_SOURCE = {
  owner: 'PrivateAim',
  repository: 'master-images',
  branch: 'master',
} as const
