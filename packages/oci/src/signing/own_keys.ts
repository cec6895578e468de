import { readFileSync } from 'node:fs'

import { applicationKeys } from '#configuration/application_key'
import type { Env } from '#configuration/variables'
import type { ImageKey } from './image_key.js'
import { SigningKey } from './signing_key.js'

type SigningSettings = Pick<Env, 'APP_KEY' | 'APP_KEY_PREVIOUS' | 'DATA_DIR' | 'IMAGE_SIGNING_KEY'>

/** The key that this installation signs images with. */
export function signingKey(settings: SigningSettings): SigningKey {
  const file = settings.IMAGE_SIGNING_KEY
  return file === undefined
    ? SigningKey.derivedFrom(applicationKeys(settings)[0])
    : SigningKey.fromPem(readFileSync(file, 'utf8'), 'IMAGE_SIGNING_KEY')
}

/**
 * The keys given by the configuration: the current one, then those derived from previous application keys. With a key
 * of its own, an installation trusts no key derived from `APP_KEY`.
 */
export function configuredKeys(settings: SigningSettings): [ImageKey, ...ImageKey[]] {
  const current = signingKey(settings).public
  const [, ...previous] =
    settings.IMAGE_SIGNING_KEY === undefined ? applicationKeys(settings) : [undefined]
  return [current, ...previous.map((secret) => SigningKey.derivedFrom(secret).public)]
}
