import { ImageNameInvalid } from '#oci/errors'
import { FOLDER_PROJECTS } from '#oci/folder/folder_projects'
import { parseImageName } from '#oci/image_names'

/**
 * The repository and tag of an imported image such as `python/base`, below the master images that analyses build on.
 */
export function importedName(
  name: string,
  prefix: string = FOLDER_PROJECTS.masterImages
): { readonly repository: string; readonly tag: string } {
  const { repository, reference } = parseImageName(`${prefix}/${name}`)
  if (reference.includes(':')) {
    throw new ImageNameInvalid(`An imported image needs a tag, not a digest: ${name}`)
  }
  return { repository, tag: reference }
}

/** The name of an exported image within its archive. */
export function exportedName(repository: string, reference: string): string {
  const tag = reference.includes(':') ? reference.slice('sha256:'.length).slice(0, 12) : reference
  return `${repository}:${tag}`
}
