/** OCI and Docker use different media types for the same things. An image keeps its family. */
export type Family = 'oci' | 'docker'

interface MediaTypes {
  readonly manifest: string
  readonly index: string
  readonly config: string
  readonly layer: string
}

export const MEDIA_TYPES: Readonly<Record<Family, MediaTypes>> = {
  oci: {
    manifest: 'application/vnd.oci.image.manifest.v1+json',
    index: 'application/vnd.oci.image.index.v1+json',
    config: 'application/vnd.oci.image.config.v1+json',
    layer: 'application/vnd.oci.image.layer.v1.tar+gzip',
  },
  docker: {
    manifest: 'application/vnd.docker.distribution.manifest.v2+json',
    index: 'application/vnd.docker.distribution.manifest.list.v2+json',
    config: 'application/vnd.docker.container.image.v1+json',
    layer: 'application/vnd.docker.image.rootfs.diff.tar.gzip',
  },
}

const MANIFEST_TYPES: readonly string[] = Object.values(MEDIA_TYPES).map((f) => f.manifest)
const INDEX_TYPES: readonly string[] = Object.values(MEDIA_TYPES).map((f) => f.index)

/** Accepted manifest types. A registry that is offered fewer types converts the manifest or responds with 404. */
export const REFERABLE_TYPES: readonly string[] = [...MANIFEST_TYPES, ...INDEX_TYPES]

/** Layers that the runtime fetches elsewhere and registries do not store. */
const FOREIGN = /\bforeign\b|\.nondistributable\./

export const isIndexType = (mediaType: string): boolean => INDEX_TYPES.includes(mediaType)

export const isForeignType = (mediaType: string): boolean => FOREIGN.test(mediaType)

export const familyOf = (mediaType: string): Family =>
  mediaType.startsWith('application/vnd.docker.') ? 'docker' : 'oci'
