import { defineConfig, services } from '@adonisjs/drive'

import { s3Disk } from '#configuration/s3_disk'
import { env } from '#start/env'

/**
 * The disk of audit anchors, next to the objects: S3 if an endpoint is set, else a folder. The other driver is not
 * loaded.
 */
export default env.S3_ENDPOINT
  ? defineConfig({
      default: 's3',
      services: {
        s3: services.s3(s3Disk({ ...env, S3_ENDPOINT: env.S3_ENDPOINT })),
      },
    })
  : defineConfig({
      default: 'fs',
      services: {
        fs: services.fs({ location: env.STORAGE_PATH, serveFiles: false, visibility: 'private' }),
      },
    })
