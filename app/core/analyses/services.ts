import { analysis } from '#core/analyses/analysis'
import { AnalysisService } from '#core/analyses/analysis_service'
import { lazyService } from '#records/services'

export const analyses = lazyService('core', analysis, AnalysisService)
