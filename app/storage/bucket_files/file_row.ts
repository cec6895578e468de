import type { Layout } from '#storage/objects/layout'

/** A stored file, with what decides who may access its bucket. */
export interface FileRow {
  readonly id: string
  readonly name: string
  readonly path: string
  readonly directory: string | null
  /** The key of its object. */
  readonly hash: string
  readonly layout: Layout
  /** The digest of its content, in lower-case hexadecimal digits. */
  readonly sha256: string | null
  readonly size: number | null
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly actorType: string
  readonly actorId: string
  readonly realmId: string | null
  readonly bucketId: string
  readonly bucket: {
    readonly id: string
    readonly actorType: string | null
    readonly actorId: string | null
    readonly realmId: string | null
    readonly refType: string | null
    readonly refId: string | null
  }
}

export const FILE_BY_ID = {
  name: 'bucket-file-by-id',
  text: `select f.id, f.name, f.path, f.directory, f.hash, f.layout, f.sha256, f.size::float8 as size,
      f.created_at as "createdAt", f.updated_at as "updatedAt", f.actor_type as "actorType",
      f.actor_id as "actorId", f.realm_id as "realmId", f.bucket_id as "bucketId",
      json_build_object('id', b.id, 'actorType', b.actor_type, 'actorId', b.actor_id, 'realmId', b.realm_id,
        'refType', b.ref_type, 'refId', b.ref_id) as bucket
    from bucket_files f join buckets b on b.id = f.bucket_id where f.id = $1`,
}
