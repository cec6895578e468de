import { join } from 'node:path'

import { test } from '@japa/runner'
import pg from 'pg'

import { locateEmbeddedPostgres } from '#embedded/locate'
import { HubProcesses } from '#tests/helpers/hub_processes'
import { Machine } from './hubctl.js'

const QUEUE = 'analysisMetadataTasks'

test.group('Operating a platform with hubctl', (group) => {
  let hub: HubProcesses
  let machine: Machine
  let database: pg.Client
  group.setup(async () => {
    hub = await HubProcesses.start('server')
    machine = await Machine.createRecord()
    await machine.login(hub.origin)
    database = new pg.Client(await locateEmbeddedPostgres(join(hub.folder, '.data/postgres')))
    await database.connect()
    return async () => {
      await database.end()
      await hub.remove()
      await machine.remove()
    }
  })
  group.each.teardown(async () => {
    await database.query('delete from dead_letters')
    await database.query('delete from analysis_runs')
  })

  async function die(reason: string): Promise<string> {
    const { rows } = await database.query<{ id: string }>(
      `insert into dead_letters (id, queue, message_id, type, reason, attempts, body)
       values (gen_random_uuid(), $1, gen_random_uuid(), 'execute', $2, 8, '') returning id`,
      [QUEUE, reason]
    )
    return rows[0]!.id
  }

  test('a healthy platform needs no action, and says so', async ({ assert }) => {
    const { code, stdout } = await machine.call(['status'])
    const { stderr } = await machine.call(['analysis', 'stuck'])

    assert.equal(code, 0, stdout)
    assert.include(stderr, 'No build and no distribution is stuck.')
    assert.match(stdout, /^ok {4}core +version \d/)
    assert.match(stdout, /^ok {4}queues +no dead letters$/m)
    assert.notInclude(stdout, 'no consumer for')
    assert.match(stdout, /^ok {4}outbox +core: /m)
    assert.match(stdout, /^ok {4}analyses +none is stuck$/m)
    assert.match(
      stdout,
      /^ok {4}credentials +token signing key expires in 89d, renewed automatically$/m
    )
  })

  test('what is stuck is named, with the reason', async ({ assert }) => {
    const project = await machine.json('create', 'project', 'name=study')
    const { id } = await machine.json('create', 'analysis', 'name=slow', `projectId=${project.id}`)
    await database.query("update analyses set build_status = 'failed' where id = $1", [id])
    await database.query(
      `insert into analysis_runs (analysis_id, process, run, problem)
       values ($1, 'build', 'a-run', 'no space left')`,
      [id]
    )
    const { code, stdout } = await machine.call(['status'])
    const { installation } = await machine
      .call(['status', '-o', 'json'])
      .then((answer) => JSON.parse(answer.stdout))
    const listed = await machine.must('analysis', 'stuck')

    assert.equal(code, 9)
    assert.match(listed, /^slow +build +failed .*no space left$/m)
    assert.match(stdout, /^LOOK {2}analyses +slow, build failed for \d+s: no space left$/m)
    assert.equal(installation.stuck[0].analysisId, id)
  })

  test('a secret that a node has had for long is named, until it has another one', async ({
    assert,
  }) => {
    const { id } = await machine.json('create', 'node', 'name=ancient', 'type=default')
    await database.query(
      "update nodes set created_at = now() - interval '400 days' where id = $1",
      [id]
    )
    const { code, stdout } = await machine.call(['status'])
    const file = machine.path('ancient.json')
    await machine.must('node', 'rotate-credentials', id, '--to', file, '--yes')
    const after = await machine.call(['status'])

    assert.equal(code, 9)
    assert.match(
      stdout,
      new RegExp(
        `LOOK {2}credentials +node ancient: its secret is 400d old: .+rotate-credentials ${id}`
      )
    )
    assert.equal(after.code, 0, after.stdout)
  })

  test('dead messages are counted, shown and dropped, as many as are meant', async ({ assert }) => {
    const [first] = [await die('one \u001B[31mreason'), await die('another reason')]
    const counted = await machine.call(['bus', 'status'])
    const shown = await machine.must('bus', 'dead')
    const dry = await machine.must('bus', 'redrive', '--queue', QUEUE, '--dry-run')
    const none = await machine.call(['bus', 'drop', '--yes'])
    const unsure = await machine.call(['bus', 'drop', first!])
    await machine.must('bus', 'drop', first!, '--yes')
    const remaining = await machine.json('bus', 'dead')
    await machine.must('bus', 'drop', '--all', '--yes')
    const after = await machine.call(['bus', 'status'])

    assert.equal(counted.code, 9)
    assert.match(counted.stdout, new RegExp(`^${QUEUE} +2 +\\d+s$`, 'm'))
    assert.include(shown, 'another reason')
    assert.notInclude(shown, '\u001B')
    assert.lengthOf(dry.match(/would send POST .+\/core\/admin\/bus\/dead\/.+\/redrive/g)!, 2)
    assert.equal(none.code, 2)
    assert.equal(unsure.code, 2)
    assert.deepEqual(
      remaining.map(({ reason }: any) => reason),
      ['another reason']
    )
    assert.equal(after.code, 0)
  })

  test('sweeps are requested by their names', async ({ assert }) => {
    const swept = await machine.must('sweep', 'events')
    const objects = await machine.json('sweep', 'objects')

    assert.match(swept, /\d+ events were removed/)
    assert.deepEqual(objects, { removed: 0 })
  })

  test('the doctor examines without a shell on the machine', async ({ assert }) => {
    const { code, stdout } = await machine.call(['doctor', '-o', 'json'])
    const { examinedAt, isExamining, findings } = JSON.parse(stdout)

    assert.isTrue(code === 0 || code === 9)
    assert.equal(code === 9, findings.length > 0)
    assert.isNotNull(examinedAt)
    assert.isFalse(isExamining)
  })

  test('hubctl shows how much is stored', async ({ assert }) => {
    assert.match(await machine.must('bucket', 'usage'), /^\S+ \S+ in \d+ files of \d+ buckets\n$/)
  })

  test('who does not run the installation sees its services only', async ({ assert }) => {
    const file = machine.path('visitor.json')
    await machine.must('user', 'invite', 'visitor', '--to', file)
    const { password } = JSON.parse(String(await machine.read('visitor.json')))
    const visitor = await Machine.createRecord()
    await visitor.login(hub.origin, 'visitor', password)
    const { code, stdout, stderr } = await visitor.call(['status'])
    const dead = await visitor.call(['bus', 'dead'])
    await visitor.remove()

    assert.equal(code, 0)
    assert.lengthOf(stdout.trim().split('\n'), 5)
    assert.include(stderr, 'service_manage')
    assert.equal(dead.code, 4)
  })
})
