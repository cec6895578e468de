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

/** What a process of the platform finds the S3 server at such an address by. */
export function s3VariablesFor(url: string): Record<string, string> {
  const { origin, username, password } = new URL(url)
  return {
    S3_ENDPOINT: origin,
    S3_ACCESS_KEY: decodeURIComponent(username),
    S3_SECRET_KEY: decodeURIComponent(password),
  }
}
