import type { Page } from '#console/page'

/** The last report of the doctor, and its time. */
export interface Examination {
  readonly examinedAt: string | null
  readonly isExamining: boolean
  readonly severity: string | null
  readonly findings: readonly DoctorFinding[]
}

export interface DoctorFinding {
  readonly code: string
  readonly severity: string
  readonly message: string
  readonly remedy: string
}

export async function readExamination({ hub }: Page): Promise<Examination> {
  const { data } = await hub.read<{ data: Examination }>('core', '/admin/examination')
  return data
}
