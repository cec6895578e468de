import { jsonIn } from '#kernel/json_in'

import { checkedBytes } from '#oci/checked_bytes'
import {
  BlobMissing,
  DigestMismatch,
  RegistryConfused,
  RegistryDenied,
  RemovalUnsupported,
} from '#oci/errors'
import { isDigest, requireDigest, requireReference, requireRepository } from '#oci/image_names'
import {
  LARGEST_MANIFEST,
  type BlobAddress,
  type BlobSource,
  type Descriptor,
  type ExpectedBlobs,
  type ImageStore,
  type Referrer,
  type StoredManifest,
  type Wanted,
  type WritableSource,
} from '#oci/image_store'
import { isObject, manifestFound } from '#oci/manifest'
import { REFERABLE_TYPES } from '#oci/media_types'
import type { Answer } from './answer.js'
import { BegunUploads } from './begun_uploads.js'
import { download } from './download.js'
import { allPages } from './pages.js'
import { noteReferrers, referrersOf } from './referrers.js'
import { RegistryClient, RegistryRefusal } from './registry_client.js'
import type { RegistryAddress, RegistryOptions } from './registry_client.js'
import { pulling, pushing, removing } from './scopes.js'
import { upload } from './upload.js'
import { cancelSession, UploadSession } from './upload_session.js'

/** Images in a registry, by its distribution API. */
export class RegistryStore implements ImageStore {
  readonly place: string
  readonly #client: RegistryClient
  readonly #uploads: BegunUploads

  private constructor(client: RegistryClient) {
    this.#client = client
    this.#uploads = new BegunUploads(client)
    this.place = `registry:${client.base.origin}`
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
    const answer = await this.#client.ask({
      method: 'GET',
      at: `${repository}/manifests/${reference}`,
      scopes: [pulling(repository)],
      headers: { accept: REFERABLE_TYPES.join(', ') },
      expected: [200, 404],
    })
    const type = answer.header('content-type')?.split(';')[0]?.trim()
    const bytes = await answer.bytes(LARGEST_MANIFEST)
    if (!isOfRegistry(bytes)) {
      throw new RegistryConfused(`What answers for ${this.#client.host} is no registry`)
    }
    if (answer.status === 404) {
      return undefined
    }
    const found = manifestFound(bytes, type)
    const said = answer.header('docker-content-digest')
    const expected = [...(isDigest(reference) ? [reference] : []), ...(said ? [said] : [])]
    if (expected.some((digest) => digest !== found.digest)) {
      throw new DigestMismatch(
        `${this.#client.host} answers ${expected.join(' and ')} with ${found.digest}`
      )
    }
    return found
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
      const answer = await this.#put(repository, manifest, tag)
      if (answer.header('oci-subject') === undefined) {
        unlisted.push(manifest)
      }
    }
    const change = { isThere: true, isFirst }
    await noteReferrers(this.#client, this.#manifests, repository, unlisted, change)
  }

  async removeManifest(repository: string, digest: string): Promise<void> {
    requireDigest(digest)
    const manifest = await this.manifest(repository, digest)
    if (!manifest) {
      return
    }
    const answer = await this.#client.ask({
      method: 'DELETE',
      at: `${repository}/manifests/${digest}`,
      scopes: [removing(repository)],
      expected: [200, 202, 204, 404, 405],
    })
    answer.drop()
    if (answer.status === 405) {
      throw new RemovalUnsupported(
        `${this.#client.host} lets nobody remove images; its operator can allow it`
      )
    }
    if (answer.header('oci-subject') === undefined) {
      const change = { isThere: false }
      await noteReferrers(this.#client, this.#manifests, repository, [manifest], change)
    }
  }

  async hasBlob(repository: string, digest: string): Promise<boolean> {
    requireRepository(repository)
    requireDigest(digest)
    const answer = await this.#client.ask({
      method: 'HEAD',
      at: `${repository}/blobs/${digest}`,
      scopes: [pulling(repository)],
      expected: [200, 404],
    })
    answer.drop()
    return answer.status === 200
  }

  readBlob(repository: string, blob: BlobAddress): BlobSource {
    requireRepository(repository)
    requireDigest(blob.digest)
    return checkedBytes(download(this.#client, repository, blob), blob)
  }

  async writeBlob(
    repository: string,
    source: WritableSource,
    wanted: Wanted = {}
  ): Promise<BlobAddress> {
    requireRepository(repository)
    const begin = () => this.#uploads.next(repository)
    const hasBlob = (digest: string) => this.hasBlob(repository, digest)
    return upload({ client: this.#client, begin, hasBlob }, source, wanted)
  }

  expectBlobs(repository: string, count: number): ExpectedBlobs {
    requireRepository(repository)
    return this.#uploads.expect(repository, count)
  }

  async mountBlob(repository: string, digest: string, from: string): Promise<boolean> {
    requireRepository(repository)
    requireRepository(from)
    requireDigest(digest)
    const question = new URLSearchParams({ mount: digest, from })
    const note = this.#client.newNote()
    const answer = await this.#client
      .ask({
        method: 'POST',
        at: `${repository}/blobs/uploads/?${question}`,
        scopes: [pushing(repository), pulling(from)],
        expected: [201, 202, 404],
        isSlow: true,
        note,
      })
      .catch(unlessDenied)
    answer?.drop()
    if (answer?.status === 202) {
      await new UploadSession(this.#client, repository, answer, note).cancel()
    }
    return answer?.status === 201
  }

  /** Takes back an upload that another process began and left. */
  async cancelUpload(repository: string, at: URL): Promise<void> {
    requireRepository(repository)
    await cancelSession(this.#client, repository, at)
  }

  async tags(repository: string): Promise<readonly string[]> {
    requireRepository(repository)
    const pages = await allPages(this.#client, {
      at: `${repository}/tags/list`,
      scopes: [pulling(repository)],
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

  async #put(repository: string, manifest: StoredManifest, reference: string): Promise<Answer> {
    requireRepository(repository)
    requireReference(reference)
    const { mediaType, bytes, digest } = manifest
    const answer = await this.#client
      .ask({
        method: 'PUT',
        at: `${repository}/manifests/${reference}`,
        scopes: [pushing(repository)],
        headers: { 'content-type': mediaType },
        body: bytes,
        expected: [200, 201, 202],
        isSlow: true,
      })
      .catch((error: unknown) => {
        throw partMissing(error, repository, digest)
      })
    answer.drop()
    const said = answer.header('docker-content-digest')
    if (said !== undefined && said !== digest) {
      throw new RegistryConfused(`${this.#client.host} was sent ${digest}, and says it has ${said}`)
    }
    return answer
  }
}

/** A page of a proxy that says 404 means nothing. */
const isOfRegistry = (bytes: Buffer): boolean =>
  bytes.length === 0 || isObject(jsonIn(bytes.toString()))

/** An account that may not read the other repository cannot mount from it. */
function unlessDenied(error: unknown): undefined {
  if (!(error instanceof RegistryDenied)) {
    throw error
  }
}

function partMissing(error: unknown, repository: string, digest: string): unknown {
  const isPartMissing =
    error instanceof RegistryRefusal && /^(MANIFEST_)?BLOB_UNKNOWN$/.test(error.reason ?? '')
  return isPartMissing ? new BlobMissing(repository, `a part of ${digest}`, error) : error
}
