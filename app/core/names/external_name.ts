import type { Shape } from '#kernel/shape'
import { newId } from '#kernel/new_id'

/** The characters of names in registries. */
export const REGISTRY_NAME: Shape = {
  pattern: /^[a-z0-9_-]*$/,
  description:
    'A name in a registry consists of lower-case letters, digits, hyphens and underscores',
}

/** The project of master images in every registry. */
export const MASTER_PROJECT = 'master'

/** The default name of a record in a registry. It is random, so that it reveals nothing. */
export const generateExternalName = (): string => newId()
