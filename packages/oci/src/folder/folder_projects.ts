/** Path prefixes in the folder of images, which take the place of registry projects. */
export const FOLDER_PROJECTS = {
  masterImages: 'master',
  incoming: 'incoming',
} as const
