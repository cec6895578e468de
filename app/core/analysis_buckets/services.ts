import { analysisBucket } from '#core/analysis_buckets/analysis_bucket'
import { AnalysisBucketService } from '#core/analysis_buckets/analysis_bucket_service'
import { lazyService } from '#records/services'

export const analysisBuckets = lazyService('core', analysisBucket, AnalysisBucketService)
