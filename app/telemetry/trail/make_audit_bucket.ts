import { AUDIT_BUCKET } from '#configuration/audit_bucket'
import { env } from '#start/env'

/** Creates the bucket for the heads of the audit trail, if objects are in an S3 store. */
export async function makeAuditBucket(): Promise<void> {
  if (!env.S3_ENDPOINT) {
    return
  }
  const { CreateBucketCommand, S3Client } = await import('@aws-sdk/client-s3')
  const client = new S3Client({
    endpoint: env.S3_ENDPOINT,
    region: env.S3_REGION,
    credentials: { accessKeyId: env.S3_ACCESS_KEY ?? '', secretAccessKey: env.S3_SECRET_KEY ?? '' },
    forcePathStyle: env.S3_FORCE_PATH_STYLE,
  })
  try {
    await client.send(new CreateBucketCommand({ Bucket: env.S3_BUCKET ?? AUDIT_BUCKET }))
  } finally {
    client.destroy()
  }
}
