import { commonRoutes } from '#openapi/common_routes'
import type { Surface } from '#http/surface'
import { recordRoutes } from '#records/record_routes'
import { bucketFile } from '#storage/bucket_files/bucket_file'
import { bucketFilesRoutes } from '#storage/bucket_files/bucket_files_routes'
import { BucketFileService } from '#storage/bucket_files/bucket_file_service'
import { bucket } from '#storage/buckets/bucket'
import { BucketService } from '#storage/buckets/bucket_service'
import { downloadRoutes } from '#storage/downloads/download_routes'
import { lockRoutes } from '#storage/locks/lock_routes'
import { resumableRoutes } from '#storage/resumable/resumable_routes'
import { tarRoutes } from '#storage/tar/tar_routes'
import { uploadRoutes } from '#storage/uploads/upload_routes'
import { usageRoutes } from '#storage/usage/usage_routes'

const storage: Surface = {
  name: 'storage',
  title: 'Storage',
  summary: 'Buckets and the files in them',
  routes(routes) {
    commonRoutes(routes, storage)
    recordRoutes(routes, bucket, BucketService)
    recordRoutes(routes, bucketFile, BucketFileService)
    bucketFilesRoutes(routes)
    uploadRoutes(routes)
    resumableRoutes(routes)
    downloadRoutes(routes)
    tarRoutes(routes)
    lockRoutes(routes)
    usageRoutes(routes)
  },
}

export default storage
