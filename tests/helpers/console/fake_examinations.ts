import app from '@adonisjs/core/services/app'

import { Examinations, type ExaminationReport } from '#core/administration/examinations'

const NOTHING_FOUND: ExaminationReport = { severity: 'fine', checks: [], findings: [] }

/** A doctor who finds this. The real one would examine whatever the machine of the test has. */
export const fakeExaminations = (report = NOTHING_FOUND): Examinations =>
  new Examinations({
    examine: async () => report,
    onError: (error) => {
      throw error
    },
  })

/** Has the doctor report this until the returned function is called. */
export function useExaminations(report: ExaminationReport): () => void {
  const examinations = fakeExaminations(report)
  app.container.swap(Examinations, () => examinations)
  return () => app.container.restore(Examinations)
}
