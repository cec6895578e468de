import { tryParseJson } from '#kernel/try_parse_json'

import { verifiedBytes } from '#oci/verified_bytes'
import {
  BlobMissing,
  DigestMismatch,
  RegistryResponseInvalid,
  RegistryDenied,
  DeletionUnsupported,
} from '#oci/errors'
import { isDigest, requireDigest, requireReference, requireRepository } from '#oci/image_names'
import {
  MAX_MANIFEST_BYTES,
  type BlobAddress,
  type BlobSource,
  type Descriptor,
  type PreparedUploads,
  type ImageStore,
  type Referrer,
  type StoredManifest,
  type BlobWriteOptions,
  type WritableSource,
} from '#oci/image_store'
import { isObject, manifestFromBytes } from '#oci/manifest'
import { REFERABLE_TYPES } from '#oci/media_types'
import type { RegistryResponse } from './registry_response.js'
import { UploadPool } from './upload_pool.js'
import { download } from './download.js'
import { allPages } from './pages.js'
import { updateReferrersIndex, referrersOf } from './referrers.js'
import { RegistryClient, RegistryRejection } from './registry_client.js'
import type { RegistryAddress, RegistryOptions } from './registry_client.js'
import { pullScope, pushScope, deleteScope } from './scopes.js'
import { upload } from './upload.js'
import { cancelSession, UploadSession } from './upload_session.js'

/** An image store backed by the OCI distribution API. */
export class RegistryStore implements ImageStore {
  readonly storageId: string
  readonly #client: RegistryClient
  readonly #uploads: UploadPool

  private constructor(client: RegistryClient) {
    this.#client = client
    this.#uploads = new UploadPool(client)
    this.storageId = `registry:${client.base.origin}`
  }

  static open(address: RegistryAddress, options?: RegistryOptions): RegistryStore {
    return new RegistryStore(RegistryClient.open(address, options))
  }

  within(signal: AbortSignal): RegistryStore {
    return new RegistryStore(this.#client.within(signal))
  }

  close(): void {
    this.#client.close()
  }

  async manifest(repository: string, reference: string): Promise<StoredManifest | undefined> {
    requireRepository(repository)
    requireReference(reference)
    const response = await this.#client.send({
      method: 'GET',
      at: `${repository}/manifests/${reference}`,
      scopes: [pullScope(repository)],
      headers: { accept: REFERABLE_TYPES.join(', ') },
      expected: [200, 404],
    })
    const type = response.header('content-type')?.split(';')[0]?.trim()
    const bytes = await response.bytes(MAX_MANIFEST_BYTES)
    if (!isRegistryBody(bytes)) {
      throw new RegistryResponseInvalid(`The server at ${this.#client.host} is not a registry`)
    }
    if (response.status === 404) {
      return undefined
    }
    const manifest = manifestFromBytes(bytes, type)
    const reported = response.header('docker-content-digest')
    const expected = [...(isDigest(reference) ? [reference] : []), ...(reported ? [reported] : [])]
    if (expected.some((digest) => digest !== manifest.digest)) {
      throw new DigestMismatch(
        `${this.#client.host} returned ${manifest.digest} for ${expected.join(' and ')}`
      )
    }
    return manifest
  }

  async putManifest(repository: string, manifest: StoredManifest, tag?: string): Promise<void> {
    await this.putReferrers(repository, [{ manifest, tag: tag ?? manifest.digest }])
  }

  async putReferrers(
    repository: string,
    referrers: readonly Referrer[],
    isFirst = false
  ): Promise<void> {
    const unlisted: StoredManifest[] = []
    for (const { manifest, tag } of referrers) {
      const response = await this.#put(repository, manifest, tag)
      if (response.header('oci-subject') === undefined) {
        unlisted.push(manifest)
      }
    }
    const change = { isAdded: true, isFirst }
    await updateReferrersIndex(this.#client, this.#manifests, repository, unlisted, change)
  }

  async removeManifest(repository: string, digest: string): Promise<void> {
    requireDigest(digest)
    const manifest = await this.manifest(repository, digest)
    if (!manifest) {
      return
    }
    const response = await this.#client.send({
      method: 'DELETE',
      at: `${repository}/manifests/${digest}`,
      scopes: [deleteScope(repository)],
      expected: [200, 202, 204, 404, 405],
    })
    response.discard()
    if (response.status === 405) {
      throw new DeletionUnsupported(
        `${this.#client.host} does not allow images to be removed; its operator can enable that`
      )
    }
    if (response.header('oci-subject') === undefined) {
      const change = { isAdded: false }
      await updateReferrersIndex(this.#client, this.#manifests, repository, [manifest], change)
    }
  }

  async hasBlob(repository: string, digest: string): Promise<boolean> {
    requireRepository(repository)
    requireDigest(digest)
    const response = await this.#client.send({
      method: 'HEAD',
      at: `${repository}/blobs/${digest}`,
      scopes: [pullScope(repository)],
      expected: [200, 404],
    })
    response.discard()
    return response.status === 200
  }

  readBlob(repository: string, blob: BlobAddress): BlobSource {
    requireRepository(repository)
    requireDigest(blob.digest)
    return verifiedBytes(download(this.#client, repository, blob), blob)
  }

  async writeBlob(
    repository: string,
    source: WritableSource,
    options: BlobWriteOptions = {}
  ): Promise<BlobAddress> {
    requireRepository(repository)
    const start = () => this.#uploads.acquire(repository)
    const hasBlob = (digest: string) => this.hasBlob(repository, digest)
    return upload({ client: this.#client, start, hasBlob }, source, options)
  }

  prepareUploads(repository: string, count: number): PreparedUploads {
    requireRepository(repository)
    return this.#uploads.prepare(repository, count)
  }

  async mountBlob(repository: string, digest: string, from: string): Promise<boolean> {
    requireRepository(repository)
    requireRepository(from)
    requireDigest(digest)
    const query = new URLSearchParams({ mount: digest, from })
    const journalEntry = this.#client.newJournalEntry()
    const response = await this.#client
      .send({
        method: 'POST',
        at: `${repository}/blobs/uploads/?${query}`,
        scopes: [pushScope(repository), pullScope(from)],
        expected: [201, 202, 404],
        isSlow: true,
        journalEntry,
      })
      .catch(ignoreDenied)
    response?.discard()
    if (response?.status === 202) {
      await new UploadSession(this.#client, repository, response, journalEntry).cancel()
    }
    return response?.status === 201
  }

  /** Cancels an upload that another process abandoned. */
  async cancelUpload(repository: string, at: URL): Promise<void> {
    requireRepository(repository)
    await cancelSession(this.#client, repository, at)
  }

  async tags(repository: string): Promise<readonly string[]> {
    requireRepository(repository)
    const pages = await allPages(this.#client, {
      at: `${repository}/tags/list`,
      scopes: [pullScope(repository)],
      accept: 'application/json',
    })
    return (pages ?? []).flatMap(({ tags }) =>
      Array.isArray(tags) ? tags.filter((tag): tag is string => typeof tag === 'string') : []
    )
  }

  async referrers(repository: string, digest: string): Promise<readonly Descriptor[]> {
    requireRepository(repository)
    requireDigest(digest)
    return referrersOf(this.#client, this.#manifests, repository, digest)
  }

  get #manifests() {
    return {
      manifest: (repository: string, reference: string) => this.manifest(repository, reference),
      put: async (repository: string, manifest: StoredManifest, tag: string) => {
        await this.#put(repository, manifest, tag)
      },
    }
  }

  async #put(
    repository: string,
    manifest: StoredManifest,
    reference: string
  ): Promise<RegistryResponse> {
    requireRepository(repository)
    requireReference(reference)
    const { mediaType, bytes, digest } = manifest
    const response = await this.#client
      .send({
        method: 'PUT',
        at: `${repository}/manifests/${reference}`,
        scopes: [pushScope(repository)],
        headers: { 'content-type': mediaType },
        body: bytes,
        expected: [200, 201, 202],
        isSlow: true,
      })
      .catch((error: unknown) => {
        throw toBlobMissing(error, repository, digest)
      })
    response.discard()
    const reported = response.header('docker-content-digest')
    if (reported !== undefined && reported !== digest) {
      throw new RegistryResponseInvalid(
        `${this.#client.host} reports digest ${reported} for ${digest}`
      )
    }
    return response
  }
}

/** A 404 page of a proxy does not mean that the manifest is missing. */
const isRegistryBody = (bytes: Buffer): boolean =>
  bytes.length === 0 || isObject(tryParseJson(bytes.toString()))

/** Without read access to the source repository, a mount is denied. */
function ignoreDenied(error: unknown): undefined {
  if (!(error instanceof RegistryDenied)) {
    throw error
  }
}

function toBlobMissing(error: unknown, repository: string, digest: string): unknown {
  const isPartMissing =
    error instanceof RegistryRejection && /^(MANIFEST_)?BLOB_UNKNOWN$/.test(error.reason ?? '')
  return isPartMissing ? new BlobMissing(repository, `a part of ${digest}`, error) : error
}
