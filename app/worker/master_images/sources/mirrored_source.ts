import type { ForeignImages } from '#worker/master_images/foreign_images'
import { describedImages } from './described_images.js'
import type { Listing } from './listing.js'
import type { ImageSource, Material, WantedImage } from './source.js'

/** Image references by virtual path. */
export type References = ReadonlyMap<string, string>

/** Images mirrored from other registries. */
export class MirroredSource implements ImageSource {
  readonly name = 'the list of mirrored images'
  readonly #references: References
  readonly #images: ForeignImages

  constructor(references: References, images: ForeignImages) {
    this.#references = references
    this.#images = images
  }

  async list(signal: AbortSignal): Promise<Listing> {
    const found = [...this.#references].map(async ([virtualPath, reference]) => ({
      virtualPath,
      ...(await this.#images.at(reference)),
    }))
    return describedImages(await Promise.all(found), signal)
  }

  async material({ virtualPath }: WantedImage): Promise<Material | undefined> {
    const reference = this.#references.get(virtualPath)
    return reference === undefined ? undefined : { kind: 'reference', reference }
  }
}
