import { resolve } from 'node:path'

import { baseOf } from '#oci/registry/registry_address'
import type { Env } from '#configuration/variables'
import type { BuilderSettings } from './builder_settings.js'
import { sourcesOf, type SourcesOf } from './sources_of.js'

export interface ImageSettings {
  readonly sourcesOf: SourcesOf
  readonly builder: BuilderSettings
}

/** Settings for the sources and the builder of master images, from the environment. */
export function imageSettings(env: Env): ImageSettings {
  const opened = sourcesOf({
    names: env.IMAGE_SOURCE,
    template: env.MASTER_IMAGES_URL,
    token: env.MASTER_IMAGES_TOKEN,
    references: referencesIn(env.MASTER_IMAGES_REFERENCES),
    folder: env.IMAGES_PATH,
  })
  return {
    sourcesOf: opened,
    builder: {
      sourcesOf: opened,
      repository: {
        owner: env.MASTER_IMAGES_OWNER,
        repository: env.MASTER_IMAGES_REPOSITORY,
        branch: env.MASTER_IMAGES_BRANCH,
      },
      buildah: buildahIn(env),
      mirror: env.MASTER_IMAGES_MIRROR,
      workPath: resolve(env.BUILDS_PATH),
      isInsecure: (host) =>
        env.REGISTRY_INSECURE.includes(host) || baseOf(host).protocol === 'http:',
    },
  }
}

function buildahIn({ BUILDAH, BUILDAH_ISOLATION, BUILDAH_STORAGE }: Env) {
  return BUILDAH === 'none'
    ? undefined
    : {
        program: BUILDAH,
        isolation: BUILDAH_ISOLATION,
        storage: BUILDAH_STORAGE === 'auto' ? undefined : BUILDAH_STORAGE,
      }
}

function referencesIn(entries: readonly string[]): Map<string, string> {
  return new Map(
    entries.map((entry) => {
      const equals = entry.indexOf('=')
      return [entry.slice(0, equals), entry.slice(equals + 1)]
    })
  )
}
