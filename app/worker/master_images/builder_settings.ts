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
  /** Where images are taken from that cannot be built here, with `{virtualPath}` in it. */
  readonly mirror?: string | undefined
  /** Folder in which builds have theirs. */
  readonly workPath: string
  /** Whether what a registry says is taken without a certificate. */
  readonly isInsecure: (host: string) => boolean
}

/** What an image is made with, and where it goes. */
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
  /** Of this job alone; gone when it is over. */
  readonly folder: string
  readonly material: Material
}
