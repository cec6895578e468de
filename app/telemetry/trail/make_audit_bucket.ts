import type { s3Disk } from '#configuration/s3_disk'

/** The bucket of the heads and how to reach its server. */
export type AuditBucket = Pick<
  ReturnType<typeof s3Disk>,
  'endpoint' | 'region' | 'credentials' | 'forcePathStyle' | 'bucket'
>

/** Creates the bucket for the heads of the audit trail. */
export async function makeAuditBucket({ bucket, ...server }: AuditBucket): Promise<void> {
  const { CreateBucketCommand, S3Client } = await import('@aws-sdk/client-s3')
  const client = new S3Client(server)
  try {
    await client.send(new CreateBucketCommand({ Bucket: bucket }))
  } finally {
    client.destroy()
  }
}
