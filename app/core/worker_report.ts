import vine from '@vinejs/vine'

import { id } from '#records/rules'

/** What each worker tells: of which record, and how far it is with it. */
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

/** How far a worker is, in whole percents; nowhere yet if it does not say. */
export function readPercent({ progress }: ProgressReport): number {
  return Math.floor(progress?.percent ?? 0)
}
