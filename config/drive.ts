import { defineConfig, services } from '@adonisjs/drive'

import { AUDIT_BUCKET } from '#configuration/audit_bucket'
import { env } from '#start/env'

/**
 * Where the ends of the audit trail are noted, beside the objects: any S3 where an endpoint is set, else a folder. The other
 * driver is not loaded.
 */
export default env.S3_ENDPOINT
  ? defineConfig({
      default: 's3',
      services: {
        s3: services.s3({
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
        }),
      },
    })
  : defineConfig({
      default: 'fs',
      services: {
        fs: services.fs({ location: env.STORAGE_PATH, serveFiles: false, visibility: 'private' }),
      },
    })
