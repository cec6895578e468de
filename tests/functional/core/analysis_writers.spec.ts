import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import { Bus } from '#bus/bus'
import type { Attributes } from '#records/row'
import { eventually } from '#tests/helpers/eventually'
import { StandInWorker } from '#tests/helpers/worker/stand_in_worker'

import { call, database, Scene, set } from './analysis_scene.js'
import { startCommands } from './registry_scene.js'
import { realTime } from '#tests/helpers/real_time'

const WRITERS = 32
const PROGRESS_PER_SECOND = 100
const SECONDS = 2
/** Aggregators approve at once, and do not act here. */
const AGGREGATORS = 1

async function deadLetters(): Promise<number> {
  const { rows } = await database().query<{ count: number }>(
    "select count(*)::int as count from dead_letters where queue = 'core.analysisBuilderEvents'"
  )
  return rows[0]!.count
}

test.group('Many who write to one analysis at once', (group) => {
  let scene: Scene
  let analysis: Attributes

  group.setup(startCommands)
  group.each.setup(async () => {
    scene = await Scene.set()
    analysis = await scene.analysis()
  })

  const now = () => scene.read(analysis)
  const report = (id: unknown, body: object) =>
    call(scene.steward(), 'POST', `/analysis-nodes/${id}`, body)
  const assigned = async (count: number) => {
    const parts: Attributes[] = []
    for (let index = 0; index < count; index++) {
      parts.push(await scene.assigned(analysis))
    }
    return parts
  }

  /** With one node for each writer. */
  const together = async (
    parts: readonly Attributes[],
    bodyOf: (index: number) => object
  ): Promise<number[]> => {
    const answers = await Promise.all(parts.map(({ id }, index) => report(id, bodyOf(index))))
    return answers.map(({ status }) => status)
  }

  test('approve, reject and approve again, each for a node, and all are counted', async ({
    assert,
  }) => {
    const parts = await assigned(WRITERS)
    const statuses = [
      ...(await together(parts, () => ({ approvalStatus: 'approved' }))),
      ...(await together(parts, (index) => ({
        approvalStatus: index % 4 === 0 ? 'rejected' : 'approved',
      }))),
    ]
    assert.deepEqual([...new Set(statuses)], [202])
    assert.containsSubset(await now(), {
      nodes: WRITERS,
      nodesApproved: (WRITERS * 3) / 4,
      buildNodesValid: false,
    })
    await together(parts, () => ({ approvalStatus: 'approved' }))
    assert.containsSubset(await now(), { nodesApproved: WRITERS, buildNodesValid: true })
  })

  test('concurrent writers report how far they are, and the analysis shows the mean of what came last', async ({
    assert,
  }) => {
    const parts = await assigned(WRITERS)
    for (const progress of [10, 40]) {
      const statuses = await together(parts, (index) => ({
        executionStatus: 'executing',
        executionProgress: progress + index,
      }))
      assert.deepEqual([...new Set(statuses)], [202])
    }
    const mean = 40 + (WRITERS - 1) / 2
    assert.containsSubset(await now(), {
      executionStatus: 'executing',
      executionProgress: Math.floor(mean),
    })
    await together(parts, (index) => ({
      executionStatus: index === 7 ? 'failed' : 'executed',
      executionProgress: 100,
    }))
    assert.containsSubset(await now(), { executionStatus: 'failed', executionProgress: 100 })
  })

  test('concurrent writers decide, report and change the analysis while its worker reports progress', async ({
    assert,
    cleanup,
  }) => {
    const bus = await app.container.make(Bus)
    const builder = await StandInWorker.start(bus, database(), 'analysisBuilder')
    cleanup(() => builder.stop())
    const deadBefore = await deadLetters()
    const parts = await assigned(WRITERS)
    await locked(parts)
    const answer = await call(scene.researcher(), 'POST', `/analyses/${analysis.id}/command`, {
      command: 'buildStart',
    })
    assert.equal(answer.status, 202, JSON.stringify(answer.body))
    const build = await eventually(() => builder.lastFor(analysis.id))
    await builder.report(build, 'executionStarted')

    const reports = progressOf(builder, build)
    const statuses: number[] = []
    for (const [round, progress] of [20, 60].entries()) {
      statuses.push(
        ...(await together(parts, (index) => ({
          approvalStatus: index % 2 === round ? 'rejected' : 'approved',
          executionStatus: 'executing',
          executionProgress: progress + index,
        }))),
        (await rename(`round-${round}`)).status
      )
    }
    await reports
    await eventually(async () => (await now()).buildProgress === 99)
    const agreeing = WRITERS / 2
    const reported = agreeing * (60 + agreeing - 1)

    assert.deepEqual([...new Set(statuses)], [202])
    assert.containsSubset(await now(), {
      displayName: 'round-1',
      nodesApproved: WRITERS / 2 + AGGREGATORS,
      buildStatus: 'started',
      buildProgress: 99,
      executionStatus: 'executing',
      executionProgress: Math.floor(reported / (agreeing + AGGREGATORS)),
    })
    assert.equal(await deadLetters(), deadBefore)
  }).timeout(60_000)

  const rename = (displayName: string) =>
    call(scene.researcher(), 'POST', `/analyses/${analysis.id}`, { displayName })

  /** Publishes progress reports at a fixed rate. */
  async function progressOf(builder: StandInWorker, build: Parameters<StandInWorker['report']>[0]) {
    const all = PROGRESS_PER_SECOND * SECONDS
    const sent: Promise<unknown>[] = []
    for (let count = 1; count <= all; count++) {
      const percent = Math.floor((99 * count) / all)
      sent.push(builder.report(build, 'executionProgress', { progress: { percent } }))
      await realTime(1_000 / PROGRESS_PER_SECOND, 'a worker reports at a rate of its own')
    }
    await Promise.all(sent)
  }

  /** A locked analysis that all nodes approved. */
  async function locked(parts: readonly Attributes[]): Promise<void> {
    await set('analyses', analysis.id, { master_image_id: (await scene.image()).id })
    const path = `/analysis-buckets?filter[analysisId]=${analysis.id}&filter[type]=CODE`
    const code = await eventually<Attributes>(
      async () => (await call(scene.researcher(), 'GET', path)).body.data[0]
    )
    await scene.codeFile(code, { path: 'main.py', root: true })
    await scene.assign(analysis, await scene.member('approved', 'aggregator'))
    await together(parts, () => ({ approvalStatus: 'approved' }))
    await call(scene.researcher(), 'POST', `/analyses/${analysis.id}/command`, {
      command: 'configurationLock',
    })
  }
})
