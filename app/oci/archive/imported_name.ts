import { ImageNameInvalid } from '#oci/errors'
import { FOLDER_PROJECTS } from '#oci/folder/folder_projects'
import { parseImageName } from '#oci/image_names'

/** Where an image that people call `python/base` is stored, so that analyses can be built on it. */
export function importedName(
  name: string,
  prefix: string = FOLDER_PROJECTS.masterImages
): { readonly repository: string; readonly tag: string } {
  const { repository, reference } = parseImageName(`${prefix}/${name}`)
  if (reference.includes(':')) {
    throw new ImageNameInvalid(`An image that is taken in has a tag, and no digest: ${name}`)
  }
  return { repository, tag: reference }
}

/** What an archive calls an image that is taken out. */
export function exportedName(repository: string, reference: string): string {
  const tag = reference.includes(':') ? reference.slice('sha256:'.length).slice(0, 12) : reference
  return `${repository}:${tag}`
}
