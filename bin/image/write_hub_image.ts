import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { ImageRepository } from '#oci/copy_blob'
import type { Descriptor, StoredManifest } from '#oci/image_store'
import { storedManifest } from '#oci/manifest'
import { MEDIA_TYPES } from '#oci/media_types'
import { attach } from '#oci/signing/attach'
import type { AttachmentKind } from '#oci/signing/attachment_kinds'
import { layerEntries, type LayerEntry } from '#oci/tar/layer_entries'
import { writeImage } from '#oci/write_image'
import { writeLayer, type WrittenLayer } from '#oci/write_layer'

import type { Architecture } from './architectures.js'
import { debianEntries, packageEntries } from './debian_layer.js'
import { fetchDebianPackages, type DebianPackage } from './debian_packages.js'
import { textEntry } from './folder_entries.js'
import { ProductionPackages } from './production_packages.js'
import { HOME, programEntries } from './program_layer.js'
import { imageConfig, labelsOf, type ImageFacts } from './run_config.js'
import { billOfMaterials } from './sbom.js'

const SBOM: AttachmentKind = {
  artifactType: 'application/spdx+json',
  layerType: 'application/spdx+json',
  suffix: 'sbom',
  limit: 16 * 1024 ** 2,
}

/** A layer with what the history of the image says of it. */
interface ImageLayer extends WrittenLayer {
  readonly createdBy: string
  /** The bytes of its files. */
  readonly unpacked: number
}

export interface PlatformResult {
  readonly manifest: StoredManifest
  readonly descriptor: Descriptor
  /** Bytes of the files of all layers. */
  readonly unpacked: number
}

interface BuildOptions {
  readonly root: string
  readonly mirror: string | undefined
}

/** The parts of an image for one architecture, fetched once for all its variants. */
export class HubImage {
  readonly #target: ImageRepository
  readonly #architecture: Architecture
  readonly #debian: readonly DebianPackage[]
  readonly #npm: ProductionPackages
  readonly #root: string
  readonly #layers: readonly [ImageLayer, ImageLayer, ImageLayer]

  private constructor(
    target: ImageRepository,
    architecture: Architecture,
    root: string,
    debian: readonly DebianPackage[],
    npm: ProductionPackages,
    layers: readonly [ImageLayer, ImageLayer, ImageLayer]
  ) {
    this.#target = target
    this.#architecture = architecture
    this.#root = root
    this.#debian = debian
    this.#npm = npm
    this.#layers = layers
  }

  /** Fetches the parts, calls `work`, and removes them. */
  static async with<Result>(
    target: ImageRepository,
    architecture: Architecture,
    { root, mirror }: BuildOptions,
    work: (image: HubImage) => Promise<Result>
  ): Promise<Result> {
    const folder = await mkdtemp(join(tmpdir(), 'hub-image-'))
    try {
      const npmFolder = join(folder, 'npm')
      const npm = await ProductionPackages.install(root, npmFolder, architecture)
      const debian = await fetchDebianPackages(folder, architecture, mirror)
      const layers = [
        await write(target, 'packages of Debian', await debianEntries(debian.filter(isInAll))),
        await write(target, 'Node.js', await npm.node()),
        await write(target, 'production dependencies', await npm.libraries(HOME)),
      ] as const
      return await work(new HubImage(target, architecture, root, debian, npm, layers))
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }

  /** Writes one variant and attaches its bill of materials. */
  async write(facts: ImageFacts): Promise<PlatformResult> {
    const npm = this.#npm.packages(facts)
    const debian = this.#debian.filter((one) => facts.hasDatabase || isInAll(one))
    const sbom = await billOfMaterials(facts, this.#architecture, { debian, npm })
    const layers = [
      ...this.#layers,
      ...(facts.hasDatabase ? [await this.#databaseLayer()] : []),
      await write(this.#target, 'the program', [
        ...(await programEntries(this.#root, facts.commit)),
        textEntry(`${HOME}/sbom.spdx.json`, sbom.toString()),
      ]),
    ]
    const manifest = await writeImage(this.#target, {
      config: imageConfig(facts, this.#architecture, layers),
      layers,
      annotations: labelsOf(facts),
    })
    const annotations = {}
    await attach(this.#target, manifest, [{ kind: SBOM, layer: { bytes: sbom, annotations } }], {
      existing: undefined,
    })
    const { debian: architecture, variant } = this.#architecture
    return {
      manifest,
      descriptor: {
        ...{ mediaType: manifest.mediaType, digest: manifest.digest, size: manifest.bytes.length },
        platform: { os: 'linux', architecture, ...(variant && { variant }) },
      },
      unpacked: layers.reduce((sum, layer) => sum + layer.unpacked, 0),
    }
  }

  async #databaseLayer(): Promise<ImageLayer> {
    const system = await packageEntries(this.#debian.filter((one) => !isInAll(one)))
    const entries = [...system, ...(await this.#npm.database(HOME))]
    return write(this.#target, 'embedded database', entries)
  }
}

/** Writes the index of all architectures under a tag. */
export async function writeIndex(
  { store, repository }: ImageRepository,
  tag: string,
  facts: ImageFacts,
  manifests: readonly Descriptor[]
): Promise<StoredManifest> {
  const mediaType = MEDIA_TYPES.oci.index
  const index = storedManifest(mediaType, {
    schemaVersion: 2,
    mediaType,
    manifests,
    annotations: labelsOf(facts),
  })
  await store.putManifest(repository, index, tag)
  return index
}

const isInAll = ({ isForDatabase }: DebianPackage): boolean => !isForDatabase

async function write(
  { store, repository }: ImageRepository,
  createdBy: string,
  files: readonly LayerEntry[]
): Promise<ImageLayer> {
  const entries = layerEntries(files)
  const layer = await writeLayer(store, repository, entries)
  const unpacked = entries.reduce((sum, entry) => sum + ('size' in entry ? entry.size : 0), 0)
  return { ...layer, createdBy, unpacked }
}
