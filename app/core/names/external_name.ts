import type { Shape } from '#kernel/shape'
import { newId } from '#kernel/new_id'

/** What a name in a registry may be made of. */
export const REGISTRY_NAME: Shape = {
  pattern: /^[a-z0-9_-]*$/,
  description:
    'A name in a registry consists of lower-case letters, digits, hyphens and underscores',
}

/** Where master images are in every registry. */
export const MASTER_PROJECT = 'master'

/** What a record is called in a registry where the caller said nothing: nothing of ours can be guessed from it. */
export const generateExternalName = (): string => newId()
