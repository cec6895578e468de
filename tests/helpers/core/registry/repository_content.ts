import { digestOf } from '#oci/verified_bytes'

export interface KeptManifest {
  readonly type: string
  readonly bytes: Buffer
}

/** What a repository has. */
export class RepositoryContent {
  readonly blobs = new Map<string, Buffer>()
  readonly manifests = new Map<string, KeptManifest>()
  readonly tags = new Map<string, string>()

  find(reference: string): { digest: string; manifest: KeptManifest } | undefined {
    const digest = this.tags.get(reference) ?? reference
    const manifest = this.manifests.get(digest)
    return manifest && { digest, manifest }
  }

  /** Whether all is there that a manifest names. */
  hasPartsOf(manifest: any): boolean {
    const blobs = [manifest.config, ...(manifest.layers ?? [])].filter(Boolean)
    const children = manifest.manifests ?? []
    return (
      blobs.every(({ digest }) => this.blobs.has(digest)) &&
      children.every(({ digest }: { digest: string }) => this.manifests.has(digest))
    )
  }

  keep(type: string, bytes: Buffer, reference: string): string {
    const digest = digestOf(bytes)
    this.manifests.set(digest, { type, bytes })
    if (!reference.includes(':')) {
      this.tags.set(reference, digest)
    }
    return digest
  }

  remove(digest: string): boolean {
    for (const [tag, named] of this.tags) {
      if (named === digest) {
        this.tags.delete(tag)
      }
    }
    return this.manifests.delete(digest)
  }

  about(subject: string): object[] {
    return [...this.manifests].flatMap(([digest, { type, bytes }]) => {
      const manifest = JSON.parse(bytes.toString())
      return manifest.subject?.digest === subject
        ? [
            {
              mediaType: type,
              digest,
              size: bytes.length,
              artifactType: manifest.artifactType ?? manifest.config?.mediaType,
            },
          ]
        : []
    })
  }
}
