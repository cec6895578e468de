import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import { WebhookSecrets } from '#core/registries/webhook_secrets'
import { LinkReconciler } from '#core/registries/link_reconciler'
import { RegistryOperations } from '#core/registries/registry_operations'
import { RegistryLinks } from '#core/registries/registry_links'
import { RegistryRemoval } from '#core/registries/registry_removal'
import { registry } from '#core/registries/registry'
import { corePool } from '#core/database'
import { registryProject } from '#core/registry_projects/registry_project'
import { inTransaction } from '#records/transaction'
import { eventually } from '#tests/helpers/eventually'
import { withLockedRow } from '#tests/helpers/locked_row'
import { sampleRecord } from '#tests/helpers/sample_records'

import { RegistryScene } from './registry_scene.js'

const WAITING = `select 1 from pg_stat_activity where wait_event_type = 'Lock'
  and datname = current_database() and query like '%registry_%' and pid <> pg_backend_pid()`

/** Runs `work` while an open transaction deletes the registry. */
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

  const key = () => ({ registryId: registryId as string, externalName })

  test('a deleted registry has no links any more', async ({ assert }) => {
    const links = await app.container.make(RegistryLinks)
    const request = () =>
      inTransaction(corePool(), (transaction) => links.requestLink(transaction, projectId))
    assert.isUndefined(await whileDeleting(registryId, request))
  })

  test('a deleted registry has nothing to unlink', async ({ assert }) => {
    const links = await app.container.make(RegistryLinks)
    const request = () =>
      inTransaction(corePool(), (transaction) =>
        links.requestUnlink(transaction, key(), { projectId, accountId: '1' })
      )
    assert.isUndefined(await whileDeleting(registryId, request))
  })

  test('a deleted registry is neither paused nor removed again', async ({ assert }) => {
    const links = await app.container.make(RegistryLinks)
    const record = () =>
      links.recordProblem(key(), 'away', { isRegistryWide: true, isRefused: false })
    assert.isUndefined(await whileDeleting(registryId, record))
  })

  test('a deleted registry is removed by no other caller', async ({ assert }) => {
    const { rows } = await corePool().query('select id from registries where id = $1', [registryId])
    const removal = await app.container.make(RegistryRemoval)
    const start = () => removal.start(rows[0].id)
    assert.deepEqual(await whileDeleting(registryId, start), [])
  })
})

test.group('A registry that is removed', () => {
  const links = () => app.container.make(RegistryLinks)

  /** Locks in the order of the service: the registry, its projects, and then the rest. */
  const removing = (id: unknown) => ({
    locks: 'select 1 from registries where id = $1 for update',
    then: `with projects as (select id from registry_projects where registry_id = $1 for update)
      delete from registries where id = $1 and (select count(*) from projects) >= 0`,
    id,
  })

  const isDeleted = async (id: unknown) => {
    const { rowCount } = await corePool().query('select 1 from registries where id = $1', [id])
    return rowCount === 0
  }

  test('the removal does not wait for a link that is removed', async ({ assert }) => {
    const { id } = await sampleRecord('core', registry)
    const key = { registryId: id as string, externalName: 'former' }
    await inTransaction(corePool(), async (transaction) => {
      await transaction.query(
        'insert into registry_links (registry_id, external_name) values ($1, $2)',
        [id, key.externalName]
      )
      await (await links()).enqueueAll(transaction, [key])
    })
    const reconciler = await app.container.make(LinkReconciler)
    assert.isUndefined(
      await withLockedRow(corePool(), removing(id), () => reconciler.reconcile(key))
    )
    assert.isTrue(await isDeleted(id))
  })

  test('the removal does not wait for a link that is created', async ({ assert, cleanup }) => {
    const scene = await RegistryScene.create()
    cleanup(() => scene.end())
    const project = await scene.project()
    const key = { registryId: scene.id, externalName: project.externalName as string }
    await inTransaction(corePool(), async (transaction) =>
      (await links()).requestLink(transaction, project.id as string, 'A-secret-0f-its-own')
    )
    const hooks = await app.container.make(WebhookSecrets)
    await hooks.findOrCreate(scene.id)
    const reconciler = await app.container.make(LinkReconciler)
    const reconcile = () => reconciler.reconcile(key)
    assert.isUndefined(await withLockedRow(corePool(), removing(scene.id), reconcile))
    assert.isTrue(await isDeleted(scene.id))
    await eventually(() => scene.harbor.projects.has(key.externalName))
  })

  test('the removal gets no webhook secret', async ({ assert }) => {
    const { id } = await sampleRecord('core', registry)
    const hooks = await app.container.make(WebhookSecrets)
    const read = () => hooks.findOrCreate(id as string)
    assert.isUndefined(await withLockedRow(corePool(), removing(id), read))
  })

  test('the removal does not wait for a project that is to be linked', async ({ assert }) => {
    const { id } = await sampleRecord('core', registry)
    const project = await sampleRecord('core', registryProject, { registryId: id })
    const operations = await app.container.make(RegistryOperations)
    const execute = () =>
      operations.execute({ command: 'projectLink', id: project.id as string, secret: null })
    const refused = await withLockedRow(corePool(), removing(id), execute)
    assert.propertyVal(refused, 'status', 404)
    assert.isTrue(await isDeleted(id))
  })
})
