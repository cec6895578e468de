import { ImageNameInvalid } from '#oci/errors'
import { parseImageName } from '#oci/image_names'

/** What the part of a folder is called that has the images which analyses are built on. */
export const MASTER_IMAGES = 'master'

/** Where an image that people call `python/base` is stored, so that analyses can be built on it. */
export function importedName(
  name: string,
  prefix: string = MASTER_IMAGES
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
