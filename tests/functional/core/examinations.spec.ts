import { test } from '@japa/runner'

import { Examinations, type ExaminationReport } from '#core/administration/examinations'
import { clock, overrideClock } from '#kernel/clock'
import { identity } from '#tests/helpers/identities'

const REPORT: ExaminationReport = { severity: 'fine', checks: [], findings: [] }

const operator = identity({ permissions: ['service_manage'] })
const elsewhere = identity({ permissions: ['service_manage'], realmName: 'other' })
const origin = { actor: operator.actor, requestId: '', address: '', userAgent: undefined }

/** Examinations that end when the test says so. */
function scene() {
  const started: PromiseWithResolvers<ExaminationReport>[] = []
  const errors: unknown[] = []
  const examinations = new Examinations({
    examine() {
      const one = Promise.withResolvers<ExaminationReport>()
      started.push(one)
      return one.promise
    },
    onError: (error) => void errors.push(error),
  })
  /** Ends an examination, and lets what waits for it go on. */
  const settled = () => new Promise((resolve) => setImmediate(resolve))
  return { examinations, started, errors, settled }
}

test.group('Examinations by the doctor', () => {
  test('the first reader starts one, and finds the report later', async ({ assert }) => {
    const { examinations, started, settled } = scene()
    const before = examinations.read(origin)
    examinations.read(origin)
    examinations.start(origin)
    started[0]!.resolve(REPORT)
    await settled()
    const after = examinations.read(origin)

    assert.deepInclude(before, { examinedAt: null, isExamining: true, severity: null })
    assert.deepInclude(after, { isExamining: false, severity: 'fine' })
    assert.isNotNull(after.examinedAt)
    assert.lengthOf(started, 1)
  })

  test('an old report is shown, and renewed', async ({ assert, cleanup }) => {
    const { examinations, started, settled } = scene()
    examinations.start(origin)
    started[0]!.resolve(REPORT)
    await settled()
    examinations.read(origin)
    assert.lengthOf(started, 1)
    const later = clock.now() + 11 * 60_000
    cleanup(overrideClock({ now: () => later }))

    assert.deepInclude(examinations.read(origin), { isExamining: true, severity: 'fine' })
    assert.lengthOf(started, 2)
  })

  test('a failed examination is reported, and can be repeated', async ({ assert }) => {
    const { examinations, started, errors, settled } = scene()
    examinations.start(origin)
    started[0]!.reject(new Error('no such folder'))
    await settled()
    examinations.start(origin)

    assert.lengthOf(errors, 1)
    assert.lengthOf(started, 2)
  })

  test('an examination is for operators of the installation', ({ assert }) => {
    const { examinations, started } = scene()
    const other = { ...origin, actor: elsewhere.actor }

    assert.throws(() => examinations.read(other), /master realm/)
    assert.throws(() => examinations.start(other), /master realm/)
    assert.lengthOf(started, 0)
  })
})
