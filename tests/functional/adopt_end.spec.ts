import { randomUUID } from 'node:crypto'

import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import { Adoption, type AdoptionReport } from '#adopt/adoption'
import { AdoptionRefused } from '#adopt/adoption_refused'
import { lookAhead } from '#adopt/ahead/look_ahead'
import { linesOf, linesOfOutlook } from '#adopt/report'
import { analysisStorageSweep } from '#core/analysis_storage/storage_sweep'
import { corePool } from '#core/database'
import { isAdopting } from '#database/is_adopting'
import { adoptionCheck } from '#doctor/checks/adoption'
import { showAdoption } from '#outbox/adoption_metric'
import { metrics } from '#observability/metrics'
import { objectAddress } from '#storage/objects/layout'
import { objectStore } from '#storage/objects/store'
import { storagePool } from '#storage/database'
import { sweepEvents } from '#telemetry/events/event_sweep'
import { FormerPlatform } from '#tests/former/former_platform'
import { idOf } from '#tests/helpers/adopt/fixture_id'
import { forgetAdoption } from '#tests/helpers/adopt/forget_adoption'
import { at } from '#tests/helpers/application'
import { examined } from '#tests/helpers/doctor'
import { identity } from '#tests/helpers/identities'

const nobodyIsUnknown = async () => ({ realms: [], users: [] })

/** One analysis with one bucket of code. */
const ROWS = 12

const tableOf = ({ tables }: AdoptionReport, expected: string) =>
  tables!.find(({ table }) => table === expected)!

/** Compares core with storage, as an installation that serves does every hour. */
async function sweep(): Promise<void> {
  const inventory = (await app.container.make('storageInventory'))!
  const { runTurn } = analysisStorageSweep({ inventory, logger: { info() {}, warn() {} } })
  while (!(await runTurn(new AbortController().signal)).isDone) {}
}

async function putObjects(): Promise<void> {
  const store = await objectStore()
  const { rows } = await storagePool().query<{ bucketId: string; hash: string }>(
    `select bucket_id as "bucketId", hash from bucket_files join adopted_rows using (id)`
  )
  for (const { bucketId, hash } of rows) {
    const address = objectAddress('own', bucketId, hash)
    await store.makeContainer(address.container)
    await store.put(address, [Buffer.from('content')] as never)
  }
}

test.group('The end of an adoption', (group) => {
  let former: FormerPlatform
  let recorded: string[][]

  group.each.setup(async () => {
    await forgetAdoption()
    recorded = []
    former = await FormerPlatform.make(process.env.DATABASE_URL!)
    await former.fill(ROWS)
    await former.run('core', `update nodes set type = 'default'`)
    return async () => {
      await former.remove()
      await forgetAdoption()
    }
  })

  const adopt = async (
    given: Partial<ConstructorParameters<typeof Adoption>[0]> = {}
  ): Promise<AdoptionReport> => {
    const { core, storage } = former.addresses
    return new Adoption({
      addresses: { core, storage },
      isDryRun: false,
      isLast: false,
      zone: 'UTC',
      signal: new AbortController().signal,
      report() {},
      record: (...row) => void recorded.push(row),
      ...given,
    }).run()
  }
  const adoptOnce = async () => {
    await adopt()
    await putObjects()
    recorded = []
  }
  const here = async (table: string, kind: string, ...numbers: number[]): Promise<boolean[]> => {
    const ids = numbers.map((number) => idOf(kind, number))
    const { rows } = await corePool().query<{ id: string }>(
      `select id from ${table} where id = any($1)`,
      [ids]
    )
    return ids.map((id) => rows.some((row) => row.id === id))
  }
  const removeThere = (project: number) => {
    const id = former.dialect.id('project', `${project}`)
    return former.run(
      'core',
      `delete from project_nodes where project_id = ${id}`,
      `delete from projects where id = ${id}`
    )
  }

  test('the last run removes what was removed in the source and is unchanged here', async ({
    assert,
  }) => {
    await adoptOnce()
    await removeThere(4)
    await former.run(
      'storage',
      `delete from bucket_files where id = ${former.dialect.id('file', '3')}`
    )
    await former.run(
      'core',
      `delete from analysis_bucket_files where bucket_file_id = ${former.dialect.id('file', '3')}`
    )
    const before = await adopt()
    assert.equal(tableOf(before, 'projects').removed, 0)
    assert.deepInclude(recorded, [
      'core.projects',
      'removed in the source, removed here by --last',
      idOf('project', 4),
    ])
    assert.deepEqual(await here('projects', 'project', 4), [true])

    const last = await adopt({ isLast: true })
    assert.isTrue(last.isClosed, recorded.join('\n') + last.objects?.message)
    assert.equal(tableOf(last, 'projects').removed, 1)
    assert.equal(tableOf(last, 'project_nodes').removed, 6)
    assert.equal(tableOf(last, 'bucket_files').removed, 1)
    assert.equal(tableOf(last, 'analysis_bucket_files').removed, 1)
    assert.deepEqual(await here('projects', 'project', 3, 4), [true, false])
    assert.deepEqual(await here('bucket_files', 'file', 2, 3), [true, false])
  })

  test('records that were removed in the source but changed here keep the adoption open, unless they are to stay', async ({
    assert,
  }) => {
    await adoptOnce()
    await corePool().query(`update projects set description = 'changed here' where id = $1`, [
      idOf('project', 3),
    ])
    const node = randomUUID()
    await corePool().query(
      `insert into nodes (id, name, realm_id, type, online) values ($1, 'of here', $1, 'default', false)`,
      [node]
    )
    await corePool().query(
      `insert into project_nodes (id, project_id, project_realm_id, node_id, node_realm_id)
       values ($1, $2, $1, $1, $1)`,
      [node, idOf('project', 4)]
    )
    await Promise.all([removeThere(3), removeThere(4)])

    const last = await adopt({ isLast: true })
    assert.isFalse(last.isClosed)
    assert.isTrue(await isAdopting(corePool()))
    assert.deepEqual(await here('projects', 'project', 3, 4), [true, true])
    const named = recorded.filter(([table]) => table === 'core.projects')
    assert.sameMembers(
      named.map(([, , id]) => id),
      [idOf('project', 3), idOf('project', 4)]
    )
    assert.match(named.join(), /changed here since.*--keep-deleted/)
    assert.match(named.join(), /records here refer to it.*--keep-deleted/)

    const kept = await adopt({ isLast: true, keepsDeleted: true })
    assert.isTrue(kept.isClosed)
    assert.deepEqual(await here('projects', 'project', 3, 4), [true, true])
    await corePool().query('delete from nodes where id = $1', [node])
  })

  test('an adoption removes nothing if the source has none of the records any more', async ({
    assert,
  }) => {
    await adoptOnce()
    const other = await FormerPlatform.make(former.server)
    const last = await adopt({ addresses: { core: other.addresses.core }, isLast: true })
    await other.remove()
    assert.isFalse(last.isClosed)
    assert.deepEqual(await here('projects', 'project', 1, 2, 3, 4), [true, true, true, true])
    assert.match(tableOf(last, 'projects').findings[0]!.problem, /check that its address/)
  })

  test('a closed adoption takes nothing until it is opened again', async ({ assert }) => {
    await adoptOnce()
    assert.isTrue((await adopt({ isLast: true })).isClosed)
    const id = former.dialect.id('project', '1')
    await former.run('core', `update projects set description = 'stale' where id = ${id}`)
    const error = await adopt().catch((reason: unknown) => reason)
    assert.instanceOf(error, AdoptionRefused)
    assert.include((error as Error).message, '--reopen')
    assert.isFalse(await isAdopting(corePool()))
    const description = async () =>
      (
        await corePool().query<{ description: string }>(
          'select description from projects where id = $1',
          [idOf('project', 1)]
        )
      ).rows[0]!.description
    assert.notEqual(await description(), 'stale')
    assert.equal(tableOf(await adopt({ isDryRun: true }), 'projects').toCome, 1)

    await adopt({ isReopening: true })
    assert.equal(await description(), 'stale')
    assert.isTrue(await isAdopting(corePool()))
  })

  test('an open adoption is shown by doctor, status and a metric until it is closed', async ({
    assert,
    cleanup,
  }) => {
    cleanup(showAdoption('core', () => isAdopting(corePool())))
    const shown = async () => {
      const { findings } = await examined({ surfaces: ['core'], checks: [adoptionCheck] })
      const reader = identity({ realmName: 'master', permissions: ['service_manage'] })
      const status = await fetch(at('core', '/admin/status'), reader)
      const { data } = (await status.json()) as { data: { adoptions: { service: string }[] } }
      const gauge = /^adoption_open\{.*database="core".*\} (\d)$/m.exec(await metrics.metrics())
      return {
        codes: findings.map(({ code }) => code),
        services: data.adoptions.map(({ service }) => service),
        gauge: gauge?.[1],
      }
    }
    await adoptOnce()
    assert.deepEqual(await shown(), {
      codes: ['ADOPTION_OPEN'],
      services: ['core', 'storage'],
      gauge: '1',
    })
    const last = await adopt({ isLast: true })
    assert.include(linesOf(last).at(-1), 'complete and closed')
    assert.deepEqual(await shown(), { codes: [], services: [], gauge: '0' })
  })

  test('files that core and storage disagree about are settled, and approvals stay', async ({
    assert,
  }) => {
    const { dialect } = former
    await former.run(
      'storage',
      `update bucket_files set path = 'unlisted.py', id = ${dialect.id('unlisted', '1')} where id = ${dialect.id('file', '2')}`,
      `delete from bucket_files where id = ${dialect.id('file', '5')}`
    )
    const dry = await adopt({ isDryRun: true })
    assert.sameMembers(
      dry.storage.flatMap(({ ids }) => ids),
      ['2', '5'].map((number) => idOf('file', Number(number))).concat(idOf('unlisted', 1))
    )
    await adoptOnce()
    await lookAhead(nobodyIsUnknown, (_table, _problem, id) => recorded.push([id]))
    const ahead = recorded.flat()
    assert.includeMembers(ahead, [
      idOf('file', 2),
      idOf('file', 5),
      idOf('unlisted', 1),
      idOf('analysis-node-1-', 1),
    ])

    const last = await adopt({ isLast: true })
    assert.isTrue(last.isClosed)
    assert.equal(
      last.storage.reduce((sum, { count }) => sum + count, 0),
      3
    )
    const { rows } = await corePool().query<{ file: string; root: boolean }>(
      'select bucket_file_id as file from analysis_bucket_files where analysis_id = $1',
      [idOf('analysis', 0)]
    )
    const files = rows.map(({ file }) => file)
    assert.lengthOf(files, ROWS - 1)
    assert.include(files, idOf('unlisted', 1))
    assert.notInclude(files, idOf('file', 5))

    recorded = []
    await lookAhead(nobodyIsUnknown, (_table, _problem, id) => recorded.push([id]))
    assert.notInclude(recorded.flat(), idOf('analysis-node-1-', 1))
    await sweep()
    const approval = await corePool().query<{ status: string }>(
      'select approval_status as status from analysis_nodes where id = $1',
      [idOf('analysis-node-1-', 1)]
    )
    assert.deepEqual(approval.rows, [{ status: 'approved' }])
  })

  test('what changes in the first hour is named for every service', async ({ assert }) => {
    const { dialect } = former
    await former.run(
      'core',
      `update nodes set client_id = null where id = ${dialect.id('node', '2')}`,
      `update analyses set build_status = 'starting'`
    )
    await former.run(
      'telemetry',
      `update events set expiring = true, expires_at = '2026-01-01T00:00:00.000Z'`
    )
    await former.run(
      'messenger',
      `update messages set created_at = now() at time zone 'UTC' - interval '23 hours 30 minutes'`
    )
    await adopt({ addresses: former.addresses })
    recorded = []
    const realm = randomUUID()
    const outlook = await lookAhead(
      async () => ({ realms: [realm], users: [] }),
      (...row) => void recorded.push(row)
    )
    const named = (expected: string, problem: RegExp) =>
      recorded.flatMap(([table, text, id]) =>
        table === expected && problem.test(text!) ? [id!] : []
      )
    assert.include(named('core.nodes', /has no client/), idOf('node', 2))
    assert.notInclude(named('core.nodes', /has no client/), idOf('node', 1))
    assert.include(named('core.analyses', /is being built/), idOf('analysis', 0))
    assert.include(named('core.registry_projects', /is not linked/), idOf('registry-project', 1))
    assert.include(named('messenger.messages', /expires within an hour/), idOf('message', 1))
    assert.deepEqual(named('core.realms', /all records of this realm are removed/), [realm])
    const expired = named('telemetry.events', /has expired/)
    assert.includeMembers(expired, [idOf('event', 1), idOf('event', ROWS)])
    assert.match(linesOfOutlook(outlook).join('\n'), /^telemetry\.events: has expired/m)

    const signal = new AbortController().signal
    const swept = await sweepEvents({ logger: { info() {} }, signal, turnMs: 60_000 })
    assert.equal(swept!.removed, expired.length)
  })

  test('a provider that does not answer is named, and the rest is reported', async ({ assert }) => {
    await adoptOnce()
    const outlook = await lookAhead(
      () => Promise.reject(new Error('it does not answer')),
      (...row) => void recorded.push(row)
    )
    assert.isNotEmpty(outlook.tables)
    assert.include(linesOfOutlook(outlook).join(), 'identity provider: it does not answer')
  })

  test('rows that a busy source changed during the run are copied, not called invalid', async ({
    assert,
  }) => {
    await adoptOnce()
    // The tables of core are taken, and the run was interrupted before its end.
    await corePool().query(`update adoption_runs set ended_at = null where surface = 'core'`)
    const { dialect } = former
    await former.run(
      'core',
      `update projects set description = 'changed meanwhile' where id = ${dialect.id('project', '1')}`,
      `insert into master_image_groups (id, name, path, virtual_path, created_at, updated_at)
       values (${dialect.id('group', '9')}, 'added', 'added', 'added', ${dialect.time('1')}, ${dialect.time('1')})`
    )
    const report = await adopt()
    for (const table of ['projects', 'master_image_groups']) {
      assert.deepEqual(tableOf(report, table).findings, [], table)
      assert.equal(tableOf(report, table).caughtUp, 1, table)
    }
    assert.deepEqual(await here('master_image_groups', 'group', 9), [true])
    const { rows } = await corePool().query('select description from projects where id = $1', [
      idOf('project', 1),
    ])
    assert.deepEqual(rows, [{ description: 'changed meanwhile' }])
  })
})
