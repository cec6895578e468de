/** What the parts of the folder are called, where a registry has projects. */
export const FOLDER_PROJECTS = {
  /** Images which analyses are built on. */
  masterImages: 'master',
  /** Builds of analyses. */
  incoming: 'incoming',
} as const
