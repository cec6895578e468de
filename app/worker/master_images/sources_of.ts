import type { ImageLocations } from '#worker/images/image_locations'
import type { Platform } from '#worker/platform/platform'
import { ForeignImages } from './foreign_images.js'
import { ImportedSource } from '#worker/master_images/sources/imported_source'
import { MirroredSource, type References } from '#worker/master_images/sources/mirrored_source'
import { openTree, type Repository } from '#worker/master_images/sources/open_tree'
import { RepositorySource } from '#worker/master_images/sources/repository_source'
import type { ImageSource } from '#worker/master_images/sources/source'

type SourceName = 'git' | 'archive' | 'registry'

export interface SourceSettings {
  /** In order of precedence. */
  readonly names: readonly SourceName[]
  readonly template: string
  readonly token?: string | undefined
  readonly references: References
  readonly folder: string
}

interface SourceDependencies {
  readonly repository: Repository
  readonly locations: ImageLocations
  readonly platform: Platform
}

/** Opens the sources for one job. */
export type SourcesOf = (dependencies: SourceDependencies) => Promise<ImageSource[]>

export function sourcesOf(settings: SourceSettings): SourcesOf {
  return ({ repository, locations, platform }) => {
    const open: Record<SourceName, () => Promise<ImageSource> | ImageSource> = {
      git: async () => new RepositorySource(await openTree(settings, repository)),
      archive: async () => {
        const { store } = await locations.folder()
        return new ImportedSource(settings.folder, store)
      },
      registry: () =>
        new MirroredSource(settings.references, new ForeignImages(locations, platform)),
    }
    return Promise.all(settings.names.map((name) => open[name]()))
  }
}
