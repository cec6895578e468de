import { lazyService } from '#records/services'
import { bucketFile } from '#storage/bucket_files/bucket_file'
import { BucketFileService } from '#storage/bucket_files/bucket_file_service'

export const bucketFiles = lazyService('storage', bucketFile, BucketFileService)
