import { LayoutIndex, NAME_ANNOTATION } from '#oci/folder/layout_index'
import { LATEST } from '#oci/image_names'
import type { ImageStore } from '#oci/image_store'
import { describedImages } from './described_images.js'
import type { Listing } from './listing.js'
import type { ImageSource, Material, WantedImage } from './source.js'

const PREFIX = 'master/'
const SUFFIX = `:${LATEST}`

/** Images imported into the folder, below `master/`. */
export class ImportedSource implements ImageSource {
  readonly name = 'the folder of images'
  readonly #store: ImageStore
  readonly #index: LayoutIndex

  constructor(folder: string, store: ImageStore) {
    this.#store = store
    this.#index = new LayoutIndex(folder)
  }

  async list(signal: AbortSignal): Promise<Listing> {
    const store = this.#store.within(signal)
    const paths = await this.#virtualPaths()
    const found = paths.map((virtualPath) => ({
      store,
      repository: `${PREFIX}${virtualPath}`,
      virtualPath,
    }))
    return describedImages(found, signal, { areReady: true })
  }

  async material({ virtualPath }: WantedImage): Promise<Material | undefined> {
    const paths = await this.#virtualPaths()
    return paths.includes(virtualPath) ? { kind: 'imported' } : undefined
  }

  async #virtualPaths(): Promise<string[]> {
    const entries = await this.#index.entries()
    return entries
      .map(({ annotations }) => annotations?.[NAME_ANNOTATION] ?? '')
      .filter((name) => name.startsWith(PREFIX) && name.endsWith(SUFFIX))
      .map((name) => name.slice(PREFIX.length, -SUFFIX.length))
      .toSorted()
  }
}
