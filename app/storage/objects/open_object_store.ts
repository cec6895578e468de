import type { Env } from '#configuration/variables'
import { FsObjectStore } from '#storage/objects/fs/fs_object_store'
import type { ObjectStore } from './object_store.js'

type Settings = Pick<
  Env,
  | 'S3_ENDPOINT'
  | 'S3_REGION'
  | 'S3_ACCESS_KEY'
  | 'S3_SECRET_KEY'
  | 'S3_FORCE_PATH_STYLE'
  | 'STORAGE_PATH'
>

/**
 * Opens the configured store: an S3 server if an endpoint is set, otherwise a folder. The S3 client is loaded on
 * demand.
 */
export async function openObjectStore(env: Settings): Promise<ObjectStore> {
  if (!env.S3_ENDPOINT) {
    return new FsObjectStore(env.STORAGE_PATH)
  }
  const { makeS3Client } = await import('#storage/objects/s3/s3_client')
  const { S3ObjectStore } = await import('#storage/objects/s3/s3_object_store')
  return new S3ObjectStore(
    makeS3Client({
      endpoint: env.S3_ENDPOINT,
      region: env.S3_REGION,
      accessKeyId: env.S3_ACCESS_KEY ?? '',
      secretAccessKey: env.S3_SECRET_KEY ?? '',
      forcePathStyle: env.S3_FORCE_PATH_STYLE,
    })
  )
}
