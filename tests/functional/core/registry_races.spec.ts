import { test } from '@japa/runner'

import { beginRemoval } from '#core/registries/registry_removal'
import { registry } from '#core/registries/registry'
import { corePool, registryLinks } from '#core/registries/work'
import { registryProject } from '#core/registry_projects/registry_project'
import { inTransaction } from '#records/transaction'
import { sampleRecord } from '#tests/helpers/sample_records'

const WAITING = `select 1 from pg_stat_activity where wait_event_type = 'Lock'
  and query like '%registry_%' and pid <> pg_backend_pid()`

/** Does something while a registry is about to be deleted by somebody who has not committed yet. */
async function whileDeleting(registryId: unknown, work: () => Promise<unknown>): Promise<unknown> {
  const deleter = await corePool().connect()
  try {
    await deleter.query('begin')
    await deleter.query('delete from registries where id = $1', [registryId])
    const done = work().catch((error: unknown) => error)
    for (let waiting = 0; waiting === 0;) {
      waiting = (await corePool().query(WAITING)).rowCount!
    }
    await deleter.query('commit')
    return await done
  } finally {
    await deleter.query('rollback')
    deleter.release()
  }
}

test.group('A registry that is deleted while it is set up', (group) => {
  let registryId: unknown
  let projectId: string
  let externalName: string

  group.each.setup(async () => {
    registryId = (await sampleRecord('core', registry)).id
    const project = await sampleRecord('core', registryProject, { registryId })
    projectId = project.id as string
    externalName = project.externalName as string
  })

  const place = () => ({ registryId: registryId as string, externalName })

  test('has nothing linked any more', async ({ assert }) => {
    const wanting = () =>
      inTransaction(corePool(), (transaction) => registryLinks().want(transaction, projectId))
    assert.isUndefined(await whileDeleting(registryId, wanting))
  })

  test('has nothing to part from', async ({ assert }) => {
    const parting = () =>
      inTransaction(corePool(), (transaction) =>
        registryLinks().part(transaction, place(), { projectId, accountId: '1' })
      )
    assert.isUndefined(await whileDeleting(registryId, parting))
  })

  test('rests no more, and is not left once more', async ({ assert }) => {
    const resting = () => registryLinks().noteProblem(place(), 'away', true)
    assert.isUndefined(await whileDeleting(registryId, resting))
  })

  test('is left by nobody else', async ({ assert }) => {
    const { rows } = await corePool().query('select id from registries where id = $1', [registryId])
    const leaving = () => beginRemoval(rows[0].id)
    assert.deepEqual(await whileDeleting(registryId, leaving), [])
  })
})
