import { analysisBucketFile } from '#core/analysis_bucket_files/analysis_bucket_file'
import { AnalysisBucketFileService } from '#core/analysis_bucket_files/analysis_bucket_file_service'
import { lazyService } from '#records/services'

export const analysisBucketFiles = lazyService(
  'core',
  analysisBucketFile,
  AnalysisBucketFileService
)
