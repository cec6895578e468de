import { makeS3Client } from '#storage/objects/s3/s3_client'
import { S3ObjectStore } from '#storage/objects/s3/s3_object_store'

/** A store on the S3 server at an address that carries the keys. */
export function s3StoreAt(url: string): S3ObjectStore {
  const { origin, username, password } = new URL(url)
  return new S3ObjectStore(
    makeS3Client({
      endpoint: origin,
      region: 'us-east-1',
      accessKeyId: decodeURIComponent(username),
      secretAccessKey: decodeURIComponent(password),
      forcePathStyle: true,
    })
  )
}
