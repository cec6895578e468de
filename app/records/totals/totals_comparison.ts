import type { Logger } from '@adonisjs/core/logger'

import type { SurfaceName } from '#configuration/surfaces'
import { databaseUrl } from '#database/addresses'
import { pools } from '#database/pools'
import type { Sweep } from '#jobs/sweep'
import { declaredKinds } from '#records/kind'
import { consolidateTotals } from './consolidate_totals.js'
import { correctTotals } from './correct_totals.js'

const COMPARED_AT = { hour: 4 }

/**
 * Compares maintained totals with the records. It logs corrections, which mean that something bypassed the triggers.
 */
export function totalsComparison(logger: Pick<Logger, 'warn'>): Sweep {
  return {
    name: 'totals-comparison',
    schedule: { dailyAt: COMPARED_AT },
    async run(signal) {
      for (const kind of declaredKinds()) {
        if (signal.aborted) {
          break
        }
        const pool = pools.for(databaseUrl(kind.model.connection as SurfaceName))
        await consolidateTotals(pool, signal)
        const corrections = await correctTotals(kind, pool)
        if (corrections.length > 0) {
          logger.warn(
            { kind: kind.name, corrections },
            'totals of a list were wrong; they are right again'
          )
        }
      }
      return 0
    },
  }
}
