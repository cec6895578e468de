import { EntityConflict } from '#kernel/failures'
import { issue } from '#kernel/issues'
import type { Row } from '#records/row'
import { RUNNING } from '#core/analysis_life/processes'
import type { Analysis } from './analysis.js'

type Progress = Pick<Row<typeof Analysis>, 'buildStatus' | 'distributionStatus'>

/**
 * Throws while the code is being built or distributed. The caller has locked the analysis, so neither can start before
 * the removal is committed.
 */
export function requireRemovable({ buildStatus, distributionStatus }: Progress): void {
  const process = isRunning(buildStatus)
    ? 'build'
    : isRunning(distributionStatus)
      ? 'distribution'
      : undefined
  if (process) {
    const message = `The ${process} of the analysis is under way: wait until it has ended, then delete again`
    throw new EntityConflict(message, { issues: [issue('process_running', [], message)] })
  }
}

const isRunning = (status: string | null) => RUNNING.some((one) => one === status)
