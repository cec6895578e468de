import type { ImageLocation } from '#worker/images/image_locations'
import type { JobContext } from '#worker/job'
import type { BuildahSettings } from '#worker/master_images/buildah/buildah'
import type { Repository } from '#worker/master_images/sources/open_tree'
import type { Material } from '#worker/master_images/sources/source'
import type { SourcesOf } from './sources_of.js'

export interface BuilderSettings {
  readonly sourcesOf: SourcesOf
  readonly repository: Repository
  readonly buildah: BuildahSettings | undefined
  /** Image reference with `{virtualPath}`, for images that cannot be built here. */
  readonly mirror?: string | undefined
  /** Parent folder of build folders. */
  readonly workPath: string
  /** Whether the TLS certificate of a registry host is not verified. */
  readonly isInsecure: (host: string) => boolean
}

/** One build of a master image. */
export interface ImageBuild {
  readonly settings: BuilderSettings
  readonly job: JobContext
  readonly image: {
    readonly virtualPath: string
    readonly command?: string | null | undefined
    readonly commandArguments?: readonly object[] | null | undefined
  }
  readonly location: ImageLocation
  readonly repository: string
  /** Private to this job and removed when it ends. */
  readonly folder: string
  readonly material: Material
}
