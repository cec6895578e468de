/**
 * Base class of image and registry errors. The worker reports `code` in its events. Transient errors may succeed on
 * retry.
 */
export abstract class ImageFailure extends Error {
  abstract readonly code: string
  readonly isTransient: boolean = false

  constructor(message: string, cause?: unknown) {
    super(message, { cause })
  }
}

/** The registry does not respond, closes the connection, or is overloaded. */
export class RegistryUnavailable extends ImageFailure {
  static readonly code = 'registryUnreachable'
  readonly code = RegistryUnavailable.code
  override readonly isTransient = true
}

/** The account lacks a permission. Harbor responds the same if the project does not exist. */
export class RegistryDenied extends ImageFailure {
  static readonly code = 'registryDenied'
  readonly code = RegistryDenied.code
}

/** The server is not a registry, or violates the distribution API. */
export class RegistryResponseInvalid extends ImageFailure {
  static readonly code = 'registryAnswerInvalid'
  readonly code = RegistryResponseInvalid.code
}

/** The host, or a redirect of the registry, is not an allowed destination. No request was sent there. */
export class HostNotAllowed extends ImageFailure {
  static readonly code = 'registryHostRefused'
  readonly code = HostNotAllowed.code
}

/** The registry does not allow deletion. */
export class DeletionUnsupported extends ImageFailure {
  static readonly code = 'imageRemovalUnsupported'
  readonly code = DeletionUnsupported.code
}

/** Content does not match its digest or size. */
export class DigestMismatch extends ImageFailure {
  static readonly code = 'digestMismatch'
  readonly code = DigestMismatch.code
}

export class ImageMissing extends ImageFailure {
  static readonly code = 'imageNotFound'
  readonly code = ImageMissing.code

  constructor(repository: string, reference: string, cause?: unknown) {
    super(`Image not found: ${nameOf(repository, reference)}`, cause)
  }
}

/** An image references a blob that does not exist. */
export class BlobMissing extends ImageFailure {
  static readonly code = 'blobNotFound'
  readonly code = BlobMissing.code

  constructor(repository: string, digest: string, cause?: unknown) {
    super(`${repository} has no ${digest}`, cause)
  }
}

/** A manifest or config is malformed, or uses an unsupported format. */
export class ManifestInvalid extends ImageFailure {
  static readonly code = 'manifestInvalid'
  readonly code = ManifestInvalid.code
}

/** The image does not exist for the requested platform. */
export class PlatformMissing extends ImageFailure {
  static readonly code = 'platformNotFound'
  readonly code = PlatformMissing.code
}

/** A file cannot be added to a layer: its path is unsafe, or its size differs from the announced one. */
export class LayerEntryInvalid extends ImageFailure {
  static readonly code = 'layerEntryInvalid'
  readonly code = LayerEntryInvalid.code
}

/** The name is not a valid repository, tag or digest. */
export class ImageNameInvalid extends ImageFailure {
  static readonly code = 'imageNameInvalid'
  readonly code = ImageNameInvalid.code
}

/** The folder is not an OCI layout, or cannot be read or written. */
export class ImageFolderUnusable extends ImageFailure {
  static readonly code = 'imageFolderUnusable'
  readonly code = ImageFolderUnusable.code
}

/** The file is not an image archive, or is damaged. */
export class ImageArchiveInvalid extends ImageFailure {
  static readonly code = 'imageArchiveInvalid'
  readonly code = ImageArchiveInvalid.code
}

function nameOf(repository: string, reference: string): string {
  return `${repository}${reference.includes(':') ? '@' : ':'}${reference}`
}

/** Whether the message of an error is meant for users. */
export const isImageFailure = (error: unknown): error is ImageFailure =>
  error instanceof ImageFailure
