import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import { Adoption, type AdoptionReport } from '#adopt/adoption'
import { corePool } from '#core/database'
import { isAdopting } from '#database/is_adopting'
import { messengerPool } from '#messenger/database'
import { NO_REALM } from '#query/sql/maintained_total'
import { unseal } from '#records/sealing'
import { storagePool } from '#storage/database'
import { objectAddress } from '#storage/objects/layout'
import { objectStore } from '#storage/objects/store'
import { telemetryPool } from '#telemetry/database'
import { TrailService } from '#telemetry/trail/trail_service'
import { looseRows, NAMED, oddities } from '#tests/former/oddities'
import { FormerPlatform } from '#tests/former/former_platform'
import { idOf } from './fixture_id.js'
import { forgetAdoption } from './forget_adoption.js'
import { at } from '#tests/helpers/application'
import { identity } from '#tests/helpers/identities'

/** Enough for two analyses, the second of which was built. */
const ROWS = 1_000

/** A database server of the former platform. */
export interface FormerServer {
  readonly url: string
  stop(): Promise<void>
}

/** Tests the adoption of an installation, for each kind of database server. */
export function adoptionSuite(name: string, startServer: () => Promise<FormerServer>): void {
  test.group(`Adoption of an installation | ${name}`, (group) => {
    let former: FormerPlatform

    group.setup(async () => {
      const server = await startServer()
      former = await FormerPlatform.make(server.url)
      await former.fill(ROWS)
      for (const [service, statement] of [
        ...oddities(former.dialect),
        ...looseRows(former.dialect),
      ]) {
        await former.run(service, statement)
      }
      return async () => {
        await former.remove()
        await server.stop()
        await forgetAdoption()
      }
    })

    const adopt = (given: Partial<ConstructorParameters<typeof Adoption>[0]> = {}) =>
      new Adoption({
        addresses: former.addresses,
        isDryRun: false,
        isLast: false,
        zone: 'UTC',
        signal: new AbortController().signal,
        report() {},
        ...given,
      }).run()

    test('a dry run counts rows, names invalid ones and writes nothing', async ({ assert }) => {
      const report = await adopt({ isDryRun: true })
      assertNamed(assert, report)
      assert.equal(tableOf(report, 'events').there, ROWS + 5)
      assert.equal(tableOf(report, 'events').toCome, ROWS + 3)
      for (const { table, there, here, toCome, named } of report.tables!) {
        assert.equal(here + toCome + named, there, table)
      }
      assert.equal(tableOf(report, 'analysis_bucket_files').toCome, ROWS)
      assert.isFalse(report.objects!.areComplete)
      const { rows } = await corePool().query(
        'select from adoption_runs union all select from adopted_rows'
      )
      assert.lengthOf(rows, 0)
    })

    test('an interrupted run resumes', async ({ assert }) => {
      const stop = new AbortController()
      stop.abort()
      const report = await adopt({ signal: stop.signal })
      assert.isUndefined(report.tables)
      assert.isTrue(await isAdopting(corePool()))
    })

    test('copies everything except the rows it names', async ({ assert }) => {
      const report = await adopt({ isLast: true })
      assertNamed(assert, report)
      for (const table of report.tables!.filter((one) => !(one.table in NAMED))) {
        assert.deepEqual(table.findings, [], table.table)
        assert.equal(table.equal, table.there, table.table)
        assert.equal(table.checksums.here, table.checksums.there, table.table)
      }
      assert.equal(tableOf(report, 'analysis_bucket_files').taken, ROWS)
      assert.isFalse(report.objects!.areComplete)
      assert.isFalse(report.isClosed)
      assert.isTrue(await isAdopting(storagePool()))
    })

    test('copies all buckets of an analysis; the first of each type is the built-in one', async ({
      assert,
    }) => {
      const { rows } = await corePool().query<{ id: string; builtIn: boolean }>(
        `select id, built_in as "builtIn" from analysis_buckets
         where analysis_id = $1 and type = 'CODE' order by built_in desc`,
        [idOf('analysis', 0)]
      )
      assert.deepEqual(
        rows.map(({ builtIn }) => builtIn),
        [true, false]
      )
      assert.include(
        rows.map(({ id }) => id),
        idOf('odd', 1)
      )
    })

    test('normalizes values of lenient writers where they are unambiguous', async ({ assert }) => {
      const column = async (pool: ReturnType<typeof corePool>, query: string, id: string) =>
        Object.values((await pool.query(query, [id])).rows[0] ?? {})
      const core = (columns: string, table: string, kind: string, number: number) =>
        column(corePool(), `select ${columns} from ${table} where id = $1`, idOf(kind, number))
      const image = (number: number) =>
        core('command_arguments, build_size::text', 'master_images', 'image', number)
      assert.deepEqual((await image(1))[0], '[]')
      assert.deepEqual((await image(2))[0], '[]')
      assert.deepEqual((await image(3))[0], '[]')
      assert.deepEqual(await image(4), ['[{"value":"-u"},{"value":"7","position":"after"}]', null])
      const analysis =
        'image_command_arguments, execution_status, distribution_status, build_status, nodes'
      assert.deepEqual(await core(analysis, 'analyses', 'analysis', 0), [null, null, null, null, 2])
      assert.deepEqual(await core(analysis, 'analyses', 'analysis', 1), [
        '[{"value":"-v"}]',
        null,
        null,
        'executed',
        2,
      ])
      assert.deepEqual(await core('type', 'registry_projects', 'registry-project', 6), ['default'])
      assert.deepEqual(await core('type, public_key', 'nodes', 'node', 6), ['default', null])
      const approval = (kind: string) => core('approval_status', 'project_nodes', kind, 6)
      assert.deepEqual(await approval('project-node-3-'), [null])
      assert.deepEqual(await approval('project-node-2-'), ['approved'])
      const size = 'select size from bucket_files where id = $1'
      assert.deepEqual(await column(storagePool(), size, idOf('file', 2)), [null])
      const event = 'select data, expires_at from events where id = $1'
      for (const [number, data] of [null, null, '{"diff":{}}'].entries()) {
        const found = await column(telemetryPool(), event, idOf('loose', number + 1))
        assert.deepEqual(found, [data, null])
      }
      const metadata = 'select metadata from messages where id = $1'
      assert.deepEqual(await column(messengerPool(), metadata, idOf('message', 1)), [null])
    })

    test('an adoption keeps IDs, times and the keys of old diffs', async ({ assert }) => {
      const { rows: nodes } = await corePool().query(
        `select client_id, robot_id, online, created_at from nodes where id = $1`,
        [idOf('node', 1)]
      )
      const milliseconds = name === 'PostgreSQL' ? 123 : 0
      assert.deepEqual(nodes, [
        {
          client_id: idOf('client', 1),
          robot_id: idOf('robot', 1),
          online: false,
          created_at: new Date(Date.UTC(2026, 10, 1, 0, 0, 1, milliseconds)),
        },
      ])
      const reader = identity({ permissions: ['event_read'] })
      const read = await fetch(at('telemetry', `/events/${idOf('event', 1)}`), reader)
      const { data } = (await read.json()) as any
      assert.deepEqual(data.data.diff.build_status, { next: 'started', previous: 'starting' })
      assert.equal(data.createdAt, nodes[0].created_at.toISOString())
      assert.equal(data.updatedAt, data.createdAt)
    })

    test('an adoption seals secrets', async ({ assert }) => {
      const { rows } = await corePool().query(
        'select account_secret from registries where id = $1',
        [idOf('registry', 1)]
      )
      assert.notInclude(rows[0].account_secret, 'Geheim')
      assert.equal(unseal('registry account', rows[0].account_secret), 'Geheim-1-€')
    })

    test('an adoption seals a valid audit trail', async ({ assert }) => {
      const trail = await app.container.make(TrailService)
      const result = await trail.verifyChains({})
      assert.deepEqual(result.findings, [])
      const { rows } = await telemetryPool().query(
        'select coalesce(sum(size), 0)::int as sealed from event_batches'
      )
      assert.isAtLeast(rows[0].sealed, ROWS)
    })

    test('computes totals, counts and approvals', async ({ assert }) => {
      await assertTotals(assert, corePool(), 'analysis_bucket_files')
      await assertTotals(assert, storagePool(), 'bucket_files')
      await assertTotals(assert, telemetryPool(), 'events')
      const { rows: projects } = await corePool().query(
        `select p.nodes, (select count(*)::int from project_nodes n where n.project_id = p.id) as counted
         from projects p where p.id = any($1)`,
        [[1, 2, 3, 4].map((n) => idOf('project', n))]
      )
      projects.forEach(({ nodes, counted }) => assert.equal(nodes, counted))
      const { rows: approvals } = await corePool().query(
        `select approved_digest is not null as kept, run is not null as run
         from analysis_nodes n join analyses a on a.id = n.analysis_id
           left join analysis_runs r on r.analysis_id = a.id and r.process = 'build'
         where n.id = $1`,
        [idOf('analysis-node-1-', 2)]
      )
      assert.deepEqual(approvals, [{ kept: true, run: true }])
    })

    test('an adoption serves files from their existing location', async ({ assert }) => {
      const [id, bucketId] = [idOf('file', 1), idOf('bucket', 0)]
      const { rows } = await storagePool().query(
        'select hash, ref_id from buckets b join bucket_files f on f.bucket_id = b.id where f.id = $1',
        [id]
      )
      assert.equal(rows[0].ref_id, idOf('analysis', 0))
      const store = await objectStore()
      const address = objectAddress('own', bucketId, rows[0].hash)
      await store.makeContainer(address.container)
      await store.put(address, [Buffer.from('content')] as never)
      const reader = identity({ realmName: 'master' })
      const read = await fetch(at('storage', `/bucket-files/${id}/stream`), reader)
      assert.equal(read.status, 200)
      assert.equal(await read.text(), 'content')
    })

    test('delivers pending messages in order, without expired ones', async ({ assert }) => {
      const recipient = identity({ kind: 'client', id: idOf('client', 1), permissions: [] })
      const pulled = await fetch(at('messenger', '/messages'), recipient)
      const { messages } = (await pulled.json()) as any
      // Of twenty messages, 1, 6, 11 and 16 are for this recipient.
      assert.sameMembers(
        messages.map(({ id }: any) => id),
        [1, 6, 11, 16].map((n) => idOf('message', n))
      )
      const [first] = messages
      assert.deepEqual(first.data, { a: [1, 2] })
      const texts = messages.map(({ data }: any) => data)
      assert.includeDeepMembers(texts, ['sealed text 6'])
      const { rows } = await messengerPool().query(
        `select b.messages::int, b.bytes::int, count(m.*)::int as counted, sum(m.size)::int as size
         from mailboxes b join messages m using (recipient_type, recipient_id)
         where b.recipient_id = $1 group by 1, 2`,
        [recipient.actor.id]
      )
      assert.deepEqual(rows, [{ messages: 4, bytes: rows[0].size, counted: 4, size: rows[0].size }])
    })

    test('an adoption reports a missing object whose file still exists', async ({ assert }) => {
      const { rows: files } = await storagePool().query(
        'select id, bucket_id, hash from bucket_files order by hash limit 202'
      )
      const store = await objectStore()
      for (const { bucket_id: bucketId, hash } of files) {
        const address = objectAddress('own', bucketId, hash)
        await store.makeContainer(address.container)
        await store.put(address, [Buffer.from('content')] as never)
      }
      const [deleted, lost] = files
      const remove = (file: any) => store.delete(objectAddress('own', file.bucket_id, file.hash))
      await former.run('storage', `delete from bucket_files where id = '${deleted.id}'`)
      await remove(deleted)
      const whole = await adopt({ addresses: storageOnly(former) })
      assert.isTrue(whole.objects!.areComplete, whole.objects!.message)
      await remove(lost)
      const lacking = await adopt({ addresses: storageOnly(former), isLast: true })
      assert.include(lacking.objects!.message, lost.id)
      assert.isFalse(lacking.isClosed)
      const dry = await adopt({ addresses: storageOnly(former), isDryRun: true })
      assert.include(dry.objects!.message, lost.id)
      const emptied = await FormerPlatform.make(former.server)
      const none = await adopt({ addresses: storageOnly(emptied) })
      await emptied.remove()
      assert.isFalse(none.objects!.areComplete, none.objects!.message)
    })

    test('a second run changes nothing', async ({ assert }) => {
      const before = await contents()
      const report = await adopt()
      report.tables!.forEach(({ taken: result, updated, table }) => {
        assert.equal(result + updated, 0, table)
      })
      assert.deepEqual(await contents(), before)
    })

    test('applies changes of the source, except to rows that changed here', async ({ assert }) => {
      const { dialect } = former
      await former.run(
        'core',
        `update projects set description = 'changed there' where id = ${dialect.id('project', '1')}`,
        `update projects set description = 'changed there' where id = ${dialect.id('project', '2')}`
      )
      await former.run('messenger', `delete from messages where id = ${dialect.id('message', '6')}`)
      await corePool().query(
        `update projects set description = 'changed here' where id = any($1)`,
        [[idOf('project', 2), idOf('project', 3)]]
      )
      await corePool().query('delete from analysis_node_events where id = $1', [
        idOf('node-event', 1),
      ])
      const report = await adopt()
      const projects = tableOf(report, 'projects')
      assert.equal(projects.updated, 1)
      assert.equal(projects.changedHere, 1)
      assert.deepEqual(projects.findings, [
        {
          problem: 'changed in the source and here since it was migrated',
          count: 1,
          ids: [idOf('project', 2)],
        },
      ])
      assert.equal(tableOf(report, 'analysis_node_events').changedHere, 1)
      const { rows } = await corePool().query(
        'select description from projects where id = any($1) order by name',
        [[1, 2, 3].map((n) => idOf('project', n))]
      )
      assert.deepEqual(
        rows.map(({ description }) => description),
        ['changed there', 'changed here', 'changed here']
      )
      const { rows: fetched } = await messengerPool().query('select from messages where id = $1', [
        idOf('message', 6),
      ])
      assert.lengthOf(fetched, 0)
    })

    test('an adoption never overwrites existing rows', async ({ assert }) => {
      const { dialect } = former
      await corePool().query(
        `insert into master_image_groups (id, name, path, virtual_path) values ($1, 'mine', 'mine', 'mine')`,
        [idOf('group', 3)]
      )
      await former.run(
        'core',
        `insert into master_image_groups (id, name, path, virtual_path, created_at, updated_at)
         values (${dialect.id('group', '3')}, 'theirs', 'theirs', 'theirs', ${dialect.time('1')}, ${dialect.time('1')})`
      )
      const report = await adopt()
      assert.deepEqual(tableOf(report, 'master_image_groups').findings, [
        {
          problem: 'another record here has this id and is left unchanged',
          count: 1,
          ids: [idOf('group', 3)],
        },
      ])
      const { rows } = await corePool().query(
        'select name from master_image_groups where id = $1',
        [idOf('group', 3)]
      )
      assert.equal(rows[0].name, 'mine')
    })
  })
}

const storageOnly = ({ addresses }: FormerPlatform) => ({ storage: addresses.storage })

const tableOf = ({ tables }: AdoptionReport, expected: string) =>
  tables!.find(({ table }) => table === expected)!

function assertNamed(assert: any, report: AdoptionReport): void {
  for (const [table, problems] of Object.entries(NAMED)) {
    const named = tableOf(report, table).findings.map(({ problem }) => problem)
    assert.lengthOf(named, problems.length, `${table}: ${named.join('; ')}`)
    problems.forEach((problem) =>
      assert.isTrue(
        named.some((one) => one.includes(problem)),
        problem
      )
    )
  }
}

/** Totals by realm. */
async function assertTotals(assert: any, pool: ReturnType<typeof corePool>, list: string) {
  const { rows: remaining } = await pool.query(
    `select realm_id, sum(records)::int as records from (
       select realm_id, records from record_totals where list = $1
       union all
       select realm_id, change from record_total_changes where list = $1) k
     group by realm_id having sum(records) <> 0 order by realm_id`,
    [list]
  )
  const { rows: counted } = await pool.query(
    `select coalesce(realm_id, '${NO_REALM}') as realm_id, count(*)::int as records from ${list} group by 1 order by 1`
  )
  assert.deepEqual(remaining, counted, list)
}

/** Every row with the transaction that wrote it last. */
async function contents(): Promise<unknown[]> {
  const all: unknown[] = []
  const lists = await corePool().query(
    'select distinct table_name as list from adopted_rows order by list'
  )
  for (const { list } of lists.rows) {
    const { rows } = await corePool().query(
      `select id::text, xmin::text from ${list} where id in (select id from adopted_rows where table_name = $1) order by id`,
      [list]
    )
    all.push(...rows)
  }
  return all
}
