import { defineConsumer } from '#bus/consumer'
import { COMMAND_QUEUES } from '#bus/names'
import { serviceHandler } from '#core/service_handler'
import { body } from '#kernel/body'
import { id } from '#records/rules'
import { AnalysisUpkeep } from './analysis_upkeep.js'

const ofAnalysis = body({ analysisId: id() })

/** Recomputes the summary of an analysis on request of older programs. */
export const analysisUpkeepConsumer = defineConsumer({
  queue: COMMAND_QUEUES.analysisMetadata,
  surface: 'core',
  prefetch: 5,
  recordOf: ({ data }) => String(data.analysisId),
  handlers: {
    recalc: serviceHandler(
      ofAnalysis,
      AnalysisUpkeep,
      async (upkeep, { transaction, origin, content: { analysisId } }) => {
        const row = await upkeep.lock(transaction, analysisId)
        if (row) {
          await upkeep.refreshAll(transaction, origin, row)
        }
      }
    ),
  },
})
