/**
 * Something is wrong with an image, or with what keeps it. The code is what a worker tells others; what is passing may go well
 * when it is tried again later.
 */
export abstract class ImageFailure extends Error {
  abstract readonly code: string
  readonly isTransient: boolean = false

  constructor(message: string, cause?: unknown) {
    super(message, { cause })
  }
}

/** A registry does not answer, breaks off, or says that it cannot now. */
export class RegistryUnavailable extends ImageFailure {
  static readonly code = 'registryUnreachable'
  readonly code = RegistryUnavailable.code
  override readonly isTransient = true
}

/** A registry does not let this account do something; Harbor says the same of a project that it does not have. */
export class RegistryDenied extends ImageFailure {
  static readonly code = 'registryDenied'
  readonly code = RegistryDenied.code
}

/** What answers is no registry, or one that does not keep to the distribution API. */
export class RegistryResponseInvalid extends ImageFailure {
  static readonly code = 'registryAnswerInvalid'
  readonly code = RegistryResponseInvalid.code
}

/** A registry is, or leads to, where this installation asks nothing. Nothing was sent there. */
export class HostNotAllowed extends ImageFailure {
  static readonly code = 'registryHostRefused'
  readonly code = HostNotAllowed.code
}

/** A registry is set up so that nothing can be removed from it. */
export class DeletionUnsupported extends ImageFailure {
  static readonly code = 'imageRemovalUnsupported'
  readonly code = DeletionUnsupported.code
}

/** Bytes are not those that their digest or size says. */
export class DigestMismatch extends ImageFailure {
  static readonly code = 'digestMismatch'
  readonly code = DigestMismatch.code
}

/** There is no image of this name. */
export class ImageMissing extends ImageFailure {
  static readonly code = 'imageNotFound'
  readonly code = ImageMissing.code

  constructor(repository: string, reference: string, cause?: unknown) {
    super(`There is no image ${nameOf(repository, reference)}`, cause)
  }
}

/** An image names a part that is not there. */
export class BlobMissing extends ImageFailure {
  static readonly code = 'blobNotFound'
  readonly code = BlobMissing.code

  constructor(repository: string, digest: string, cause?: unknown) {
    super(`${repository} has no ${digest}`, cause)
  }
}

/** What should describe an image does not, or in a way that nobody writes any more. */
export class ManifestInvalid extends ImageFailure {
  static readonly code = 'manifestInvalid'
  readonly code = ManifestInvalid.code
}

/** An image exists for other machines only. */
export class PlatformMissing extends ImageFailure {
  static readonly code = 'platformNotFound'
  readonly code = PlatformMissing.code
}

/** A file cannot be put into a layer: its name means something else there, or its bytes are not as announced. */
export class LayerEntryInvalid extends ImageFailure {
  static readonly code = 'layerEntryInvalid'
  readonly code = LayerEntryInvalid.code
}

/** No repository, tag or digest can be called so. */
export class ImageNameInvalid extends ImageFailure {
  static readonly code = 'imageNameInvalid'
  readonly code = ImageNameInvalid.code
}

/** A folder is no OCI layout, or one that cannot be read or written. */
export class ImageFolderUnusable extends ImageFailure {
  static readonly code = 'imageFolderUnusable'
  readonly code = ImageFolderUnusable.code
}

/** A file is no archive of an image, or a damaged one. */
export class ImageArchiveInvalid extends ImageFailure {
  static readonly code = 'imageArchiveInvalid'
  readonly code = ImageArchiveInvalid.code
}

/** An image by its tag or its digest, as people write it. */
function nameOf(repository: string, reference: string): string {
  return `${repository}${reference.includes(':') ? '@' : ':'}${reference}`
}

/** Whether an error says in a sentence what is wrong with an image, or with what keeps it. */
export const isImageFailure = (error: unknown): error is ImageFailure =>
  error instanceof ImageFailure
