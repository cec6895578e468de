import vine from '@vinejs/vine'

import { id } from '#records/rules'

/** The properties of all reports of workers. */
export const workerReportRules = {
  id: id(),
  progress: vine
    .object({ percent: vine.number().min(0) })
    .nullable()
    .optional(),
}

interface ProgressReport {
  readonly progress?: { readonly percent: number } | null | undefined
}

/** Returns the progress in whole percents, 0 if it is not reported. */
export function readPercent({ progress }: ProgressReport): number {
  return Math.floor(progress?.percent ?? 0)
}
