import { digestOf } from '#oci/verified_bytes'
import { BlobMissing } from '#oci/errors'
import type {
  BlobAddress,
  Descriptor,
  ImageStore,
  Referrer,
  StoredManifest,
  WritableSource,
} from '#oci/image_store'
import { MEDIA_TYPES } from '#oci/media_types'

/** An untrusted image store: it verifies no digests, and tests can change its content. */
export class CarelessStore implements ImageStore {
  readonly storageId = 'careless'
  readonly manifests = new Map<string, StoredManifest>()
  readonly tagged = new Map<string, string>()
  readonly blobs = new Map<string, Buffer>()
  /** Listed referrers by image. */
  readonly listed = new Map<string, Descriptor[]>()
  readonly asked: string[] = []
  writes = 0

  async manifest(repository: string, reference: string) {
    this.asked.push(`manifest ${reference}`)
    const digest = this.tagged.get(`${repository}:${reference}`) ?? reference
    return this.manifests.get(`${repository}@${digest}`)
  }

  async putManifest(repository: string, manifest: StoredManifest, tag?: string) {
    this.writes++
    this.manifests.set(`${repository}@${manifest.digest}`, manifest)
    if (tag !== undefined) {
      this.tagged.set(`${repository}:${tag}`, manifest.digest)
    }
    const { subject, artifactType } = JSON.parse(manifest.bytes.toString())
    if (subject) {
      const { digest, mediaType } = manifest
      const one = { digest, mediaType, artifactType, size: manifest.bytes.length }
      const others = (this.listed.get(subject.digest) ?? []).filter((o) => o.digest !== digest)
      this.listed.set(subject.digest, [...others, one])
    }
  }

  async putReferrers(repository: string, referrers: readonly Referrer[]) {
    for (const { manifest, tag } of referrers) {
      await this.putManifest(repository, manifest, tag)
    }
  }

  async removeManifest(repository: string, digest: string) {
    this.manifests.delete(`${repository}@${digest}`)
  }

  prepareUploads() {
    return { release: async () => {} }
  }

  async hasBlob(repository: string, digest: string) {
    return this.blobs.has(`${repository}@${digest}`)
  }

  readBlob(repository: string, { digest }: BlobAddress) {
    this.asked.push(`blob ${digest}`)
    const bytes = this.blobs.get(`${repository}@${digest}`)
    return bytes ? chunksOf(bytes) : missing(repository, digest)
  }

  async writeBlob(repository: string, source: WritableSource) {
    this.writes++
    const chunks = typeof source === 'function' ? source() : source
    const bytes = Buffer.concat(await Array.fromAsync(chunks))
    const digest = digestOf(bytes)
    this.blobs.set(`${repository}@${digest}`, bytes)
    return { digest, size: bytes.length }
  }

  async mountBlob() {
    return false
  }

  async tags() {
    return []
  }

  async referrers(_repository: string, digest: string) {
    this.asked.push('referrers')
    return this.listed.get(digest) ?? []
  }

  within() {
    return this
  }

  close() {}

  /** Stores an image with a unique text. */
  async put(repository: string, text: string): Promise<StoredManifest> {
    const bytes = Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType: TYPE, text }))
    const manifest = { mediaType: TYPE, digest: digestOf(bytes), bytes }
    await this.putManifest(repository, manifest, 'latest')
    return manifest
  }
}

const TYPE = MEDIA_TYPES.oci.manifest

async function* chunksOf(bytes: Buffer) {
  for (let at = 0; at < bytes.length; at += 1_000) {
    yield bytes.subarray(at, at + 1_000)
  }
}

async function* missing(repository: string, digest: string): AsyncGenerator<Buffer> {
  throw new BlobMissing(repository, digest)
}
