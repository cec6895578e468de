import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import { Bus } from '#bus/bus'
import type { Message } from '#bus/message'
import { findStuckAnalyses } from '#core/analysis_life/stuck_analyses'
import { distributionProofSweep } from '#core/analysis_life/distribution_proof'
import { silentWorkerSweep } from '#core/analysis_life/watchdog'
import type { Attributes } from '#records/row'
import { at } from '#tests/helpers/application'
import { eventually } from '#tests/helpers/eventually'
import { StandInWorker } from '#tests/helpers/worker/stand_in_worker'

import { call, database, Scene, set } from './analysis_scene.js'
import { startCommands } from './registry_scene.js'

test.group('Buckets and files of an analysis', (group) => {
  let scene: Scene

  group.setup(startCommands)
  group.each.setup(async () => {
    scene = await Scene.set()
  })

  const bucketsOf = async ({ id }: Attributes) =>
    (await call(scene.researcher(), 'GET', `/analysis-buckets?filter[analysisId]=${id}`)).body.data
  const withBuckets = (analysis: Attributes, limitMs?: number) =>
    eventually(async () => {
      const found = await bucketsOf(analysis)
      return found.length === 3 && found
    }, limitMs)
  const storage = async (method: string, path: string, body?: FormData) =>
    fetch(at('storage', path), { method, headers: scene.researcher().headers, body })

  test('three buckets exist within a second, in the realm of the analysis', async ({ assert }) => {
    const analysis = await scene.analysis()
    const buckets = await withBuckets(analysis, 1_000)
    assert.sameMembers(
      buckets.map(({ type }: Attributes) => type),
      ['CODE', 'RESULT', 'TEMP']
    )
    for (const { type, bucketId, realmId } of buckets) {
      const { data } = (await (await storage('GET', `/buckets/${bucketId}`)).json()) as any
      assert.equal(data.name, `analysis-${type.toLowerCase()}-files.${analysis.id}`)
      assert.equal(data.realmId, analysis.realmId)
      assert.equal(realmId, analysis.realmId)
    }
  })

  test('files that are uploaded and deleted come and go within a second', async ({ assert }) => {
    const analysis = await scene.analysis()
    const code = (await withBuckets(analysis)).find(({ type }: Attributes) => type === 'CODE')
    const form = new FormData()
    form.append('main.py', new Blob(['print(1)']), 'main.py')
    const uploaded = (await (
      await storage('POST', `/buckets/${code.bucketId}/upload`, form)
    ).json()) as any
    const path = `/analysis-bucket-files?filter[analysisBucketId]=${code.id}`
    const file = await eventually(async () => {
      const { body } = await call(scene.researcher(), 'GET', path)
      return body.data[0]
    }, 1_000)
    assert.containSubset(file, {
      path: 'main.py',
      root: false,
      bucketFileId: uploaded.data[0].id,
      analysisId: analysis.id,
    })
    assert.isNotNull(file.userId)
    const root = await call(scene.researcher(), 'POST', `/analysis-bucket-files/${file.id}`, {
      root: true,
    })
    assert.equal(root.status, 202)
    assert.isTrue((await scene.read(analysis)).configurationEntrypointValid)
    await storage('DELETE', `/bucket-files/${uploaded.data[0].id}`)
    await eventually(async () => {
      const { body } = await call(scene.researcher(), 'GET', path)
      return body.data.length === 0
    }, 1_000)
    assert.isFalse((await scene.read(analysis)).configurationEntrypointValid)
  })

  test('a deleted analysis leaves no bucket behind', async ({ assert }) => {
    const analysis = await scene.analysis()
    const buckets = await withBuckets(analysis)
    assert.equal((await call(scene.researcher(), 'DELETE', `/analyses/${analysis.id}`)).status, 202)
    for (const { bucketId } of buckets) {
      await eventually(async () => (await storage('GET', `/buckets/${bucketId}`)).status === 404)
    }
  })

  test('buckets created after their analysis was deleted are deleted', async ({ assert }) => {
    const analysis = await scene.analysis()
    await call(scene.researcher(), 'DELETE', `/analyses/${analysis.id}`)
    await eventually(async () => {
      const { rowCount } = await database().query(
        `select 1 from analysis_bucket_requests where analysis_id = $1
         union all select 1 from outbox where ordered_by like '%' || $1::text`,
        [analysis.id]
      )
      return rowCount === 0
    })
    const found = await eventually(async () => {
      const answer = await storage(
        'GET',
        `/buckets?filter[name]=analysis-code-files.${analysis.id}`
      )
      const { meta } = (await answer.json()) as any
      return meta.total === 0 && answer
    })
    assert.equal(found.status, 200)
  })
})

test.group('Reports of workers', (group) => {
  let scene: Scene
  let analysis: Attributes
  let builder: StandInWorker
  let distributor: StandInWorker

  group.setup(startCommands)
  group.setup(async () => {
    const bus = await app.container.make(Bus)
    builder = await StandInWorker.start(bus, database(), 'analysisBuilder')
    distributor = await StandInWorker.start(bus, database(), 'analysisDistributor')
    return () => Promise.all([builder.stop(), distributor.stop()]).then(() => {})
  })
  group.each.setup(async () => {
    scene = await Scene.set()
    analysis = await scene.analysis()
  })

  const command = async (name: string) => {
    const answer = await call(scene.researcher(), 'POST', `/analyses/${analysis.id}/command`, {
      command: name,
    })
    if (answer.status !== 202) {
      throw new Error(`${name}: ${JSON.stringify(answer.body)}`)
    }
    return answer.body.data
  }
  const now = () => scene.read(analysis)
  const reaches = (values: Attributes) =>
    eventually(async () => {
      const analysisNow = await now()
      return Object.entries(values).every(([name, value]) => analysisNow[name] === value)
    })
  const commandTo = (worker: StandInWorker, type = 'execute', after = 0): Promise<Message> =>
    eventually(() => {
      const commands = worker.commands.filter(
        ({ type: messageType, data }) => messageType === type && data.id === analysis.id
      )
      return commands[after]
    })

  /** A locked analysis that every node approved. */
  async function approved(): Promise<void> {
    const { id: registryId } = await scene.registry()
    await set('analyses', analysis.id, { master_image_id: (await scene.image()).id })
    await call(scene.researcher(), 'POST', `/analyses/${analysis.id}/command`, {
      command: 'storageCheck',
    })
    const code = await eventually(async () => {
      const { body } = await call(
        scene.researcher(),
        'GET',
        `/analysis-buckets?filter[analysisId]=${analysis.id}&filter[type]=CODE`
      )
      return body.data[0]
    })
    await scene.codeFile(code, { path: 'main.py', root: true })
    for (const type of ['default', 'aggregator'] as const) {
      const member = await scene.member('approved', type)
      await set('nodes', member.id, { registry_id: registryId })
      const { id } = await scene.assign(analysis, member)
      await call(scene.steward(), 'POST', `/analysis-nodes/${id}`, { approvalStatus: 'approved' })
    }
    await command('configurationLock')
  }

  /** Reports before a marker are applied once the marker is. */
  async function applied(worker: StandInWorker, marker: Message): Promise<void> {
    const { id } = await worker.report(marker, 'checkFinished')
    await eventually(async () => {
      const { rowCount } = await database().query('select 1 from inbox where message_id = $1', [id])
      return rowCount === 1
    })
  }

  test('reports leads an analysis from its build to its distribution', async ({ assert }) => {
    await approved()
    await command('buildStart')
    const build = await commandTo(builder)
    assert.deepEqual(build.data, { id: analysis.id })
    await builder.report(build, 'executionStarted')
    await reaches({ buildStatus: 'started', buildProgress: 0 })
    await builder.report(build, 'executionProgress', { progress: { percent: 40 } })
    await reaches({ buildStatus: 'started', buildProgress: 40 })
    const { updatedAt } = await now()
    await builder.report(build, 'executionProgress', { progress: { percent: 40 } })
    await eventually(async () => (await now()).updatedAt !== updatedAt)
    const image = { hash: 'sha256:abc', os: 'linux', size: 7_000_000_000 }
    await builder.report(build, 'executionFinished', image)
    await reaches({
      buildStatus: 'executed',
      buildProgress: 100,
      buildHash: image.hash,
      buildOs: image.os,
      buildSize: image.size,
    })
    await command('distributionStart')
    const distribution = await commandTo(distributor)
    await distributor.report(distribution, 'executionStarted')
    await distributor.report(distribution, 'executionFinished')
    await reaches({ distributionStatus: 'executed', distributionProgress: 100 })
  })

  test('reports follow commands that name the request which caused them', async ({ assert }) => {
    await approved()
    const answer = await fetch(at('core', `/analyses/${analysis.id}/command`), {
      method: 'POST',
      headers: { ...scene.researcher().headers, 'content-type': 'application/json' },
      body: JSON.stringify({ command: 'buildStart' }),
    })
    await answer.body?.cancel()
    const { metadata } = await commandTo(builder)
    assert.isString(metadata.requestId)
    assert.equal(metadata.requestId, answer.headers.get('x-request-id'))
  })

  test('reports shows the image of each node, also if others have none, until the next build', async ({
    assert,
  }) => {
    await approved()
    const path = `/analysis-nodes?filter[analysisId]=${analysis.id}&sort=createdAt`
    const artifacts = async () => {
      const { body } = await call(scene.researcher(), 'GET', path)
      return body.data.map(({ artifactTag, artifactDigest }: Attributes) => [
        artifactTag,
        artifactDigest,
      ])
    }
    const { body } = await call(scene.researcher(), 'GET', path)
    const [one, other] = body.data.map(({ nodeId }: Attributes) => nodeId)
    await set('analyses', analysis.id, { build_status: 'executed' })
    await command('distributionStart')
    const first = await commandTo(distributor)
    const digest = `sha256:${'a'.repeat(64)}`
    const served = (nodeId: unknown) => ({
      nodeId,
      status: 'executed',
      artifactTag: 'latest',
      artifactDigest: digest,
    })
    const error = { code: 'registryUnreachable', message: 'It is away' }
    await distributor.report(first, 'executionFailed', {
      nodes: [served(one), { nodeId: other, status: 'failed', error }],
      error,
    })
    await reaches({ distributionStatus: 'failed' })
    assert.deepEqual(await artifacts(), [
      ['latest', digest],
      [null, null],
    ])
    await command('distributionStart')
    const second = await commandTo(distributor, 'execute', 1)
    await distributor.report(second, 'executionFinished', { nodes: [served(one), served(other)] })
    await reaches({ distributionStatus: 'executed' })
    assert.deepEqual(await artifacts(), [
      ['latest', digest],
      ['latest', digest],
    ])
    await set('analyses', analysis.id, { build_status: 'failed' })
    await command('buildStart')
    assert.deepEqual(await artifacts(), [
      [null, null],
      [null, null],
    ])
  })

  test('reports are applied once, in any order of arrival', async ({ assert }) => {
    await approved()
    await command('buildStart')
    const build = await commandTo(builder)
    const progress = await builder.report(build, 'executionProgress', { progress: { percent: 50 } })
    await builder.report(build, 'executionStarted')
    await reaches({ buildStatus: 'started', buildProgress: 50 })
    await builder.report(build, 'executionProgress', { progress: { percent: 20 } })
    const finished = await builder.report(build, 'executionFinished', { hash: 'sha256:1' })
    await reaches({ buildStatus: 'executed' })
    await builder.report(build, 'executionStarted')
    await builder.report(build, 'executionProgress', { progress: { percent: 10 } })
    await builder.report(build, 'executionFailed', { error: {} })
    await builder.repeat(progress)
    await builder.repeat(finished)
    await applied(builder, build)
    assert.containSubset(await now(), {
      buildStatus: 'executed',
      buildProgress: 100,
      buildHash: 'sha256:1',
    })
  })

  test('about a former build changes nothing of the next', async ({ assert }) => {
    await approved()
    await command('buildStart')
    const former = await commandTo(builder)
    await builder.report(former, 'executionFailed', { error: { message: 'no space left' } })
    await reaches({ buildStatus: 'failed' })
    await command('buildStart')
    const next = await commandTo(builder, 'execute', 1)
    await builder.report(former, 'executionStarted')
    await builder.report(former, 'executionFinished', { hash: 'sha256:former' })
    await builder.report(former, 'checkFinished', { status: 'failed' })
    await applied(builder, former)
    assert.containSubset(await now(), { buildStatus: 'starting', buildHash: null })
    await builder.report(next, 'executionFinished', { hash: 'sha256:next' })
    await reaches({ buildStatus: 'executed', buildHash: 'sha256:next' })
  })

  test('reports about no run, or one that never started, change nothing', async ({ assert }) => {
    await approved()
    await command('buildStart')
    const build = await commandTo(builder)
    const { run, ...metadata } = build.metadata
    for (const forged of [metadata, { ...metadata, run: 'another' }, { ...metadata, run: '' }]) {
      const answered = { ...build, metadata: forged as Message['metadata'] }
      await builder.report(answered, 'executionStarted')
      await builder.report(answered, 'executionFinished', { hash: 'sha256:forged' })
      await builder.report(answered, 'executionFailed', { error: { message: 'forged' } })
      await builder.report(answered, 'checkFinished', { status: 'executed', hash: 'sha256:forged' })
    }
    await applied(builder, build)
    assert.containSubset(await now(), { buildStatus: 'starting', buildHash: null })
    assert.isString(run)
    await builder.report(build, 'executionFinished', { hash: 'sha256:built' })
    await reaches({ buildStatus: 'executed', buildHash: 'sha256:built' })
  })

  test('why a build failed is explained, and stays known, for those who may read logs', async ({
    assert,
  }) => {
    await approved()
    await command('buildStart')
    const path = `/analyses/${analysis.id}`
    const reasonFor = async (by: ReturnType<Scene['researcher']>) => {
      const { body } = await call(by, 'GET', `${path}/explain`)
      return body.data.conditions.find(({ code }: Attributes) => code === 'build_not_startable')
        .reason
    }
    const problemsFor = async (by: ReturnType<Scene['researcher']>) => {
      const { body } = await call(by, 'GET', `${path}/timeline`)
      return body.data
        .filter(({ name }: Attributes) => name === 'buildProblem')
        .map(({ source, message }: Attributes) => [source, message])
    }
    assert.isUndefined(await reasonFor(scene.researcher()))
    const build = await commandTo(builder)
    await builder.report(build, 'executionFailed', { error: { message: 'no space left' } })
    await reaches({ buildStatus: 'failed' })
    for (const by of [scene.researcher(), scene.steward()]) {
      assert.equal(await reasonFor(by), 'no space left')
      assert.deepEqual(await problemsFor(by), [['status', 'no space left']])
    }
    for (const by of [scene.stranger(), scene.researcher(['analysis_create'])]) {
      assert.isUndefined(await reasonFor(by))
      assert.isEmpty(await problemsFor(by))
    }
    await command('buildStart')
    assert.isUndefined(await reasonFor(scene.researcher()))
    await builder.report(await commandTo(builder, 'execute', 1), 'executionFailed', {})
    await reaches({ buildStatus: 'failed' })
    assert.deepEqual(await problemsFor(scene.researcher()), [
      ['status', 'The worker reported no reason'],
      ['status', 'no space left'],
    ])
  })

  test('reports are ignored after the analysis was unlocked', async ({ assert }) => {
    await approved()
    await command('buildStart')
    const build = await commandTo(builder)
    await builder.report(build, 'executionFailed', {})
    await reaches({ buildStatus: 'failed' })
    await command('configurationUnlock')
    await builder.report(build, 'executionStarted')
    await builder.report(build, 'executionFinished', { hash: 'sha256:1' })
    await builder.report(build, 'checkFinished', { status: 'executed' })
    await applied(builder, build)
    assert.containSubset(await now(), { buildStatus: null, buildHash: null })
  })

  test('a check finds what is there', async ({ assert }) => {
    await approved()
    await command('buildStart')
    const build = await commandTo(builder)
    await builder.report(build, 'executionStarted')
    await command('buildCheck')
    const check = await commandTo(builder, 'check')
    await builder.report(check, 'checkFinished', {
      status: 'executed',
      hash: 'sha256:1',
      os: 'linux',
    })
    await reaches({ buildStatus: 'executed', buildProgress: 100, buildHash: 'sha256:1' })
    await builder.report(check, 'checkFinished', { status: 'started' })
    await builder.report(check, 'checkFailed', { error: {} })
    await applied(builder, check)
    assert.equal((await now()).buildStatus, 'executed')
    await builder.report(check, 'checkFinished', { status: 'failed' })
    await reaches({ buildStatus: 'failed', buildProgress: 0, buildHash: null })
  })

  const SILENCE_S = 60
  /** Moves the last report of an analysis two minutes into the past. */
  const later = (id = analysis.id) =>
    database().query(
      `update analysis_runs set reported_at = reported_at - interval '2 minutes',
         check_requested_at = check_requested_at - interval '2 minutes' where analysis_id = $1`,
      [id]
    )
  const sweep = () => silentWorkerSweep(SILENCE_S).run(new AbortController().signal)
  /** Runs of other tests do not count as waiting. */
  const emptyQueue = () => database().query('delete from analysis_runs')

  test('a build that waits behind others does not count as silent, and does once it does not wait', async ({
    assert,
  }) => {
    await emptyQueue()
    await approved()
    await command('buildStart')
    const first = analysis
    const ahead = await commandTo(builder)
    await builder.report(ahead, 'executionStarted')
    await reaches({ buildStatus: 'started' })

    scene = await Scene.set()
    analysis = await scene.analysis()
    await approved()
    await command('buildStart')
    await commandTo(builder)
    for (let round = 0; round < 3; round++) {
      await later()
      await sweep()
    }
    assert.equal((await now()).buildStatus, 'starting')
    assert.isUndefined(builder.lastFor(analysis.id, 'check'))
    const stuck = await findStuckAnalyses(database(), { silenceSeconds: SILENCE_S })
    assert.isFalse(stuck.some(({ analysisId }) => analysisId === analysis.id))

    await builder.report(ahead, 'executionFinished', { hash: 'sha256:1' })
    await eventually(async () => (await scene.read(first)).buildStatus === 'executed')
    await sweep()
    await commandTo(builder, 'check')
    await later()
    await sweep()
    assert.equal((await now()).buildStatus, 'failed')
  })

  test('waiting builds fail together if no worker reports at all', async ({ assert }) => {
    await emptyQueue()
    const waiting: Attributes[] = []
    for (let round = 0; round < 2; round++) {
      scene = await Scene.set()
      analysis = await scene.analysis()
      await approved()
      await command('buildStart')
      waiting.push(analysis)
    }
    for (let round = 0; round < 2; round++) {
      await Promise.all(waiting.map(({ id }) => later(id as string)))
      await sweep()
    }
    const after = await Promise.all(waiting.map((one) => scene.read(one)))
    assert.deepEqual(
      after.map(({ buildStatus }) => buildStatus),
      ['failed', 'failed']
    )
  })

  test('a worker that starts after its run was marked unresponsive is accepted, with the reason of a failure', async ({
    assert,
  }) => {
    await emptyQueue()
    await approved()
    await command('buildStart')
    const build = await commandTo(builder)
    const markUnresponsive = async () => {
      await later()
      await sweep()
      await later()
      await sweep()
      assert.equal((await now()).buildStatus, 'failed')
    }
    const reason = async () => {
      const { body } = await call(scene.researcher(), 'GET', `/analyses/${analysis.id}/explain`)
      return body.data.conditions.find(({ code }: any) => code === 'build_not_startable').reason
    }
    await markUnresponsive()
    assert.match(await reason(), /^No worker has reported/)
    await builder.report(build, 'executionStarted')
    await reaches({ buildStatus: 'started' })
    assert.isUndefined(await reason())
    await markUnresponsive()
    await builder.report(build, 'executionProgress', { progress: { percent: 30 } })
    await reaches({ buildStatus: 'started', buildProgress: 30 })
    await markUnresponsive()
    await builder.report(build, 'executionFailed', { error: { message: 'no space left' } })
    await eventually(async () => (await reason()) === 'no space left')
    await builder.report(build, 'executionStarted')
    await builder.report(build, 'executionProgress', { progress: { percent: 50 } })
    await applied(builder, build)
    assert.containSubset(await now(), { buildStatus: 'failed', buildProgress: 30 })
  })

  test('distributions are checked once a day, and can be repeated if images are missing', async ({
    assert,
  }) => {
    await emptyQueue()
    await approved()
    await set('analyses', analysis.id, { build_status: 'executed' })
    await command('distributionStart')
    const distribution = await commandTo(distributor)
    await distributor.report(distribution, 'executionFinished')
    await reaches({ distributionStatus: 'executed' })
    const prove = () => distributionProofSweep().run(new AbortController().signal)
    const nextDay = () =>
      database().query(
        `update analysis_runs set reported_at = reported_at - interval '25 hours',
           check_requested_at = check_requested_at - interval '25 hours' where analysis_id = $1`,
        [analysis.id]
      )
    assert.equal(await prove(), 0)
    await nextDay()
    assert.equal(await prove(), 1)
    assert.equal(await prove(), 0, 'not before the next day')
    const check = await commandTo(distributor, 'check')
    await distributor.report(check, 'checkFinished', { status: 'executed' })
    await applied(distributor, check)
    assert.equal(await prove(), 0)
    await distributor.report(check, 'checkFinished', { status: 'failed' })
    await reaches({ distributionStatus: 'failed' })
    const { body } = await call(scene.researcher(), 'GET', `/analyses/${analysis.id}/explain`)
    const { reason } = body.data.conditions.find(
      ({ code }: any) => code === 'distribution_not_startable'
    )
    assert.match(reason, /^The image is missing at a node/)
    await command('distributionStart')
    await nextDay()
    await set('analyses', analysis.id, {
      distribution_status: 'executed',
      execution_status: 'executed',
    })
    assert.equal(await prove(), 0, 'nobody needs it any more')
  })

  test('a worker that takes over a command from another is accepted', async ({ assert }) => {
    await emptyQueue()
    await approved()
    await command('buildStart')
    const build = await commandTo(builder)
    await builder.report(build, 'executionStarted')
    await reaches({ buildStatus: 'started' })
    await later()
    await builder.report(build, 'executionStarted')
    await applied(builder, build)
    await sweep()
    const { rows } = await database().query(
      'select check_requested_at as "askedAt" from analysis_runs where analysis_id = $1',
      [analysis.id]
    )
    assert.deepEqual(rows, [{ askedAt: null }])
  })

  test('an unresponsive worker is checked, and its run fails without an answer', async ({
    assert,
  }) => {
    await emptyQueue()
    await approved()
    await command('buildStart')
    const build = await commandTo(builder)
    await builder.report(build, 'executionStarted')
    await reaches({ buildStatus: 'started' })
    await sweep()
    assert.isUndefined(builder.lastFor(analysis.id, 'check'))
    await later()
    await sweep()
    const check = await commandTo(builder, 'check')
    await builder.report(check, 'checkFinished', { status: 'started' })
    await applied(builder, build)
    await later()
    await sweep()
    assert.equal((await now()).buildStatus, 'started')
    await commandTo(builder, 'check', 1)
    await later()
    await sweep()
    assert.equal((await now()).buildStatus, 'failed')
    await builder.report(build, 'executionFinished', { hash: 'sha256:late' })
    await reaches({ buildStatus: 'executed', buildHash: 'sha256:late' })
  })

  test('reports of all nodes together is what the analysis shows of its execution', async ({
    assert,
  }) => {
    await approved()
    const { body } = await call(
      scene.researcher(),
      'GET',
      `/analysis-nodes?filter[analysisId]=${analysis.id}`
    )
    const reports = body.data.flatMap(({ id }: Attributes) =>
      Array.from({ length: 16 }, (_, n) =>
        call(scene.steward(), 'POST', `/analysis-nodes/${id}`, {
          executionStatus: n === 15 ? 'executed' : 'started',
          executionProgress: n,
        })
      )
    )
    const statuses = (await Promise.all(reports)).map(({ status }) => status)
    assert.isTrue(statuses.every((status) => status === 202))
    for (const { id } of body.data) {
      const done = { executionStatus: 'executed', executionProgress: 100 }
      await call(scene.steward(), 'POST', `/analysis-nodes/${id}`, done)
    }
    assert.containSubset(await now(), { executionStatus: 'executed', executionProgress: 100 })
    const { rows } = await database().query(
      'select event_id from analysis_node_events where analysis_id = $1',
      [analysis.id]
    )
    assert.isAbove(rows.length, 2)
    assert.isTrue(rows.every(({ event_id: id }) => id !== null))
  })

  test('a command warns at once if no worker consumes its queue', async ({ assert }) => {
    await approved()
    await builder.stop()
    const answer = await call(scene.researcher(), 'POST', `/analyses/${analysis.id}/command`, {
      command: 'buildStart',
    })
    assert.equal(answer.status, 202)
    assert.equal(answer.body.meta.warnings[0].code, 'worker_missing')
    const { body } = await call(scene.researcher(), 'GET', `/analyses/${analysis.id}/explain`)
    assert.equal(body.data.phase, 'build')
    assert.isFalse(body.data.ready)
    const missing = body.data.conditions.find(({ code }: any) => code === 'worker_missing')
    assert.deepEqual(missing.who, [{ type: 'operator' }])
    builder = await StandInWorker.start(
      await app.container.make(Bus),
      database(),
      'analysisBuilder'
    )
    await commandTo(builder)
  })
})
