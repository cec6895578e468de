/** Refers to a blob or manifest. Unknown fields are preserved. */
export interface Descriptor {
  readonly mediaType: string
  readonly digest: string
  readonly size: number
  readonly annotations?: Readonly<Record<string, string>>
  readonly artifactType?: string
  readonly platform?: {
    readonly os: string
    readonly architecture: string
    readonly variant?: string
  }
}

/** A manifest or index with its original bytes, which must not be serialized again. */
export interface StoredManifest {
  readonly digest: string
  readonly mediaType: string
  readonly bytes: Buffer
}

/** The content of a blob in chunks. The consumer sets the pace. */
export type BlobSource = AsyncIterable<Uint8Array>

/** Bytes to write. A function is called again if they must be sent from the start. */
export type WritableSource = BlobSource | (() => BlobSource)

export type BlobAddress = Pick<Descriptor, 'digest' | 'size'>

export interface BlobWriteOptions {
  /** The expected digest; other content is rejected. */
  readonly digest?: string
  readonly size?: number
  /** Called when all bytes were read, before the store has the blob. Called again if they are sent again. */
  readonly onRead?: (blob: BlobAddress) => void
}

/** A manifest with a `subject`, and the tag it is found by. */
export interface Referrer {
  readonly manifest: StoredManifest
  readonly tag: string
}

/** Uploads that were started ahead of their content. */
export interface PreparedUploads {
  /** Cancels the uploads that were not used. */
  release(): Promise<void>
}

export const MAX_MANIFEST_BYTES = 4 * 1024 ** 2

/**
 * A registry or a folder that stores images. All content is verified against its digest, and interrupted writes leave
 * nothing behind. All drivers pass the same test suite.
 */
export interface ImageStore {
  /** Equal for stores between whose repositories blobs can be mounted. */
  readonly storageId: string

  /** The same store for an abortable job: its operations fail with the reason of the signal. */
  within(signal: AbortSignal): ImageStore

  /** Finds a manifest by tag or digest. */
  manifest(repository: string, reference: string): Promise<StoredManifest | undefined>

  /**
   * Stores a manifest by digest, and under a tag if given. Everything it references must exist, except its `subject`.
   */
  putManifest(repository: string, manifest: StoredManifest, tag?: string): Promise<void>

  /**
   * Like `putManifest`, for referrers of one manifest, in the given order. `isFirst` states that it has no referrers
   * yet, which saves a lookup.
   */
  putReferrers(repository: string, referrers: readonly Referrer[], isFirst?: boolean): Promise<void>

  /** Removes a manifest and its tags. Does nothing if it does not exist. */
  removeManifest(repository: string, digest: string): Promise<void>

  hasBlob(repository: string, digest: string): Promise<boolean>

  /**
   * Opens the blob when the first chunk is requested. Fails if it does not exist, or at the last chunk if the content
   * does not match the digest.
   */
  readBlob(repository: string, blob: BlobAddress): BlobSource

  writeBlob(
    repository: string,
    source: WritableSource,
    wanted?: BlobWriteOptions
  ): Promise<BlobAddress>

  /** Starts uploads ahead of their content, if starting one takes time. */
  prepareUploads(repository: string, count: number): PreparedUploads

  /** Mounts a blob from another repository. Returns false if the store cannot; then write it. */
  mountBlob(repository: string, digest: string, from: string): Promise<boolean>

  tags(repository: string): Promise<readonly string[]>

  /** The manifests whose `subject` is this digest, from the referrers API or its fallback tag. */
  referrers(repository: string, digest: string): Promise<readonly Descriptor[]>

  /** Closes connections. The store remains usable. */
  close(): void
}
