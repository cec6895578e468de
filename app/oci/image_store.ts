/** How a blob or a manifest is named in another one. What else was in it stays. */
export interface Descriptor {
  readonly mediaType: string
  readonly digest: string
  readonly size: number
  readonly annotations?: Readonly<Record<string, string>>
  readonly artifactType?: string
  readonly platform?: { readonly os: string; readonly architecture: string }
}

/** A manifest or an index: its bytes are what its digest is of, and are never written anew. */
export interface StoredManifest {
  readonly digest: string
  readonly mediaType: string
  readonly bytes: Buffer
}

/** What is in a blob, piece by piece. Whoever writes it decides how fast. */
export type BlobSource = AsyncIterable<Uint8Array>

/** Bytes to be written. A function is called once more where they have to be sent again from the first one on. */
export type WritableSource = BlobSource | (() => BlobSource)

/** What of a blob says which bytes it has. */
export type BlobAddress = Pick<Descriptor, 'digest' | 'size'>

export interface BlobWriteOptions {
  /** What is written has to have this digest, and is refused otherwise. */
  readonly digest?: string
  readonly size?: number
  /** Is told what the blob is as soon as all of its bytes were read, which is before the store has it; once more where they are read once more. */
  readonly onRead?: (blob: BlobAddress) => void
}

/** A manifest that is about another one, and the tag it is found by beside that. */
export interface Referrer {
  readonly manifest: StoredManifest
  readonly tag: string
}

/** Blobs that somebody said are going to be written. */
export interface PreparedUploads {
  /** Those that were not written are not going to be. */
  release(): Promise<void>
}

/** A manifest of more bytes than this is none. */
export const MAX_MANIFEST_BYTES = 4 * 1024 ** 2

/**
 * Where images are kept: a registry, or a folder on disk. Every byte that goes in or out is compared with its digest; what is broken off
 * leaves nothing half done. All drivers keep to one contract, which one suite of tests holds.
 */
export interface ImageStore {
  /** The same for stores between whose repositories blobs can be mounted. */
  readonly storageId: string

  /** The same store for a job that can be stopped: whatever it does for it fails with the reason of the signal. */
  within(signal: AbortSignal): ImageStore

  /** The manifest that a tag or a digest names, if there is one. */
  manifest(repository: string, reference: string): Promise<StoredManifest | undefined>

  /** Stores it by its digest, and under a tag where one is given. What it names has to be there, its `subject` excepted. */
  putManifest(repository: string, manifest: StoredManifest, tag?: string): Promise<void>

  /**
   * As `putManifest`, for what is said about one manifest, in this order. Of one that is not there yet nothing was said before (`isFirst`): then nobody looks
   * for that.
   */
  putReferrers(repository: string, referrers: readonly Referrer[], isFirst?: boolean): Promise<void>

  /** Removes a manifest and the tags that name it; one that is not there is no error. */
  removeManifest(repository: string, digest: string): Promise<void>

  hasBlob(repository: string, digest: string): Promise<boolean>

  /**
   * Nothing is opened before the first piece is asked for. Fails where there is no such blob, and where the bytes are not those
   * of the digest, at the last piece at the latest.
   */
  readBlob(repository: string, blob: BlobAddress): BlobSource

  /** Answers what was written. */
  writeBlob(
    repository: string,
    source: WritableSource,
    wanted?: BlobWriteOptions
  ): Promise<BlobAddress>

  /** Says that so many blobs are going to be written: where it takes time to begin that, it is begun now. */
  prepareUploads(repository: string, count: number): PreparedUploads

  /** Lets a repository have a blob of another one without moving it; false where this cannot be done, and it has to be written. */
  mountBlob(repository: string, digest: string, from: string): Promise<boolean>

  tags(repository: string): Promise<readonly string[]>

  /** The manifests whose `subject` is this one: signatures, provenance. By the referrers API, or by the tag that stands for it. */
  referrers(repository: string, digest: string): Promise<readonly Descriptor[]>

  /** Lets go of connections; the store can still be used. */
  close(): void
}
