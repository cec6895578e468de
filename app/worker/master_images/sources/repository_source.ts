import { lstat, readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { JobFailure } from '#worker/job_failure'
import { namesOf } from '#worker/master_images/trees/paths'
import type { Tree } from '#worker/master_images/trees/tree'
import { unpack } from '#worker/master_images/trees/unpack'
import { AttributeInvalid, readAttributes } from './attributes.js'
import { DOCKERFILE, IMAGE_FILE } from './found_folders.js'
import { scan } from './scan.js'
import type { Listing } from './listing.js'
import type { ImageSource, Material, WantedImage } from './source.js'

/** Master images in a repository. */
export class RepositorySource implements ImageSource {
  readonly #tree: Tree

  constructor(tree: Tree) {
    this.#tree = tree
  }

  get name(): string {
    return this.#tree.name
  }

  async list(signal: AbortSignal): Promise<Listing> {
    const { images, groups, faults } = await scan(this.#tree, signal)
    return {
      images: images.map(({ hasDockerfile: _made, image: _from, ...listed }) => listed),
      groups,
      faults,
    }
  }

  async material(
    { path, virtualPath }: WantedImage,
    folder: string,
    signal: AbortSignal
  ): Promise<Material | undefined> {
    const target = { path: namesOf(path ?? virtualPath).join('/'), into: folder, signal }
    const { files, commit } = await unpack(this.#tree, target)
    if (files.size === 0) {
      return undefined
    }
    const reference = await this.#referenceIn(folder, target.path)
    if (reference !== undefined) {
      return { kind: 'reference', reference }
    }
    const stats = await lstat(join(folder, DOCKERFILE)).catch(() => undefined)
    return stats
      ? { kind: 'context', folder, source: this.name, commit, files }
      : { kind: 'description' }
  }

  /** The image of another registry that the attribute file names. */
  async #referenceIn(folder: string, path: string): Promise<string | undefined> {
    const file = join(folder, IMAGE_FILE)
    const stats = await lstat(file).catch(() => undefined)
    if (!stats?.isFile()) {
      return undefined
    }
    try {
      const { image } = readAttributes(`${path}/${IMAGE_FILE}`, await readFile(file, 'utf8'))
      return image
    } catch (error) {
      if (error instanceof AttributeInvalid) {
        throw new JobFailure('imageDescriptionInvalid', error.message, { cause: error })
      }
      throw error
    }
  }
}
