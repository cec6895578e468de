import { AUDIT_BUCKET } from './audit_bucket.js'

interface S3Variables {
  readonly S3_ENDPOINT: string
  readonly S3_ACCESS_KEY?: string | undefined
  readonly S3_SECRET_KEY?: string | undefined
  readonly S3_REGION: string
  readonly S3_BUCKET?: string | undefined
  readonly S3_FORCE_PATH_STYLE: boolean
}

/** The S3 disk of audit anchors. Uses no object ACLs, which many servers and new AWS buckets do not support. */
export const s3Disk = (env: S3Variables) =>
  ({
    credentials: {
      accessKeyId: env.S3_ACCESS_KEY ?? '',
      secretAccessKey: env.S3_SECRET_KEY ?? '',
    },
    region: env.S3_REGION,
    bucket: env.S3_BUCKET ?? AUDIT_BUCKET,
    endpoint: env.S3_ENDPOINT,
    forcePathStyle: env.S3_FORCE_PATH_STYLE,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    visibility: 'private',
    supportsACL: false,
  }) as const
