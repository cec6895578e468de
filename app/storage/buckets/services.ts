import { bucket } from '#storage/buckets/bucket'
import { BucketService } from '#storage/buckets/bucket_service'
import { lazyService } from '#records/services'

export const buckets = lazyService('storage', bucket, BucketService)
