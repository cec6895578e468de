import { test } from '@japa/runner'

import { corePool } from '#core/database'
import { clock } from '#kernel/clock'
import { ConsoleVisitor, unescaped } from '#tests/helpers/console/console_visitor'
import { useExaminations } from '#tests/helpers/console/fake_examinations'
import { noteGatheredRefusals, useSecuritySink } from '#tests/helpers/container'
import { REALMS } from '#tests/helpers/identities'

const HOSTILE = '<script>alert(1)</script>'
const HOUR_MS = 3_600_000

const found = (code: string, message: string) => ({
  code,
  severity: 'warning',
  message,
  remedy: `Remedy of ${code}.`,
})

const operator = () => ConsoleVisitor.as({ permissions: ['service_manage'] })

/** What the overview shows once the examination, which the first reader starts, has ended. */
async function overview(visitor: ConsoleVisitor): Promise<string> {
  await visitor.open('/')
  const { text } = await visitor.open('/')
  return unescaped(text)
}

async function backUp(ageMs: number): Promise<void> {
  const endedAt = new Date(clock.now() - ageMs)
  await corePool().query(
    `insert into backups (id, started_at, ended_at, version) values ($1, $2, $2, '1')`,
    [`b-${clock.uuid()}`, endedAt]
  )
}

test.group('Needs you | the installation', (group) => {
  group.setup(() =>
    useExaminations({
      severity: 'warning',
      checks: [],
      findings: [
        found('DISK_LOW', `The disk of ${HOSTILE} is running full`),
        found('DEAD_LETTERS', 'Messages could not be processed: 3'),
      ],
    })
  )
  group.each.setup(async () => {
    await corePool().query('delete from backups')
  })

  test('what the doctor finds, with its remedy, as text', async ({ assert }) => {
    const visitor = operator()
    await visitor.open('/')
    const { text } = await visitor.open('/')

    assert.include(text, 'is running full')
    assert.include(text, 'Remedy of DISK_LOW.')
    assert.include(text, '/system#doctor"')
    assert.notInclude(text, HOSTILE)
  })

  test('what the doctor and the state both know is shown once', async ({ assert }) => {
    assert.notInclude(await overview(operator()), 'Remedy of DEAD_LETTERS.')
  })

  test('a missing backup', async ({ assert }) => {
    const text = await overview(operator())

    assert.include(text, 'No backup is known')
    assert.notInclude(text, 'The last backup ended')
  })

  test('an old backup, with its age', async ({ assert }) => {
    await backUp(50 * HOUR_MS)
    const text = await overview(operator())

    assert.include(text, 'The last backup is older than two days')
    assert.include(text, 'The last backup ended')
  })

  test('a recent backup is not a finding, but its age is shown', async ({ assert }) => {
    await backUp(30 * HOUR_MS)
    const text = await overview(operator())

    assert.notInclude(text, 'The last backup is older')
    assert.notInclude(text, 'No backup is known')
    assert.include(text, 'The last backup ended')
  })

  test('only operators see any of it', async ({ assert }) => {
    const administrator = ConsoleVisitor.as({ realmId: REALMS.other, realmName: 'other' })
    const text = await overview(administrator)

    assert.notInclude(text, 'is running full')
    assert.notInclude(text, 'No backup is known')
  })

  test('the state is not requested, and so not refused, in the name of anybody else', async ({
    assert,
    cleanup,
  }) => {
    await noteGatheredRefusals()
    const refused: string[] = []
    cleanup(
      useSecuritySink({
        record: async ({ type, subject }) =>
          void (type === 'permissionRefused' && refused.push(subject)),
      })
    )
    const { status } = await ConsoleVisitor.as({
      realmId: REALMS.other,
      realmName: 'other',
    }).open('/')
    await noteGatheredRefusals()

    assert.equal(status, 200)
    assert.deepEqual(refused, [])
  })
})
