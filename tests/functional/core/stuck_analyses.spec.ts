import { test } from '@japa/runner'

import { coreSettings } from '#core/core_settings'
import { RUNNING } from '#core/analysis_life/processes'
import { SELECT_STUCK } from '#core/analysis_life/stuck_analyses'
import { corePool } from '#core/database'
import { call, reported, Scene, type Person } from './analysis_scene.js'

const PATH = '/stuck-analyses'
const LONG_AGO = () => 2 * coreSettings().workerSilenceSeconds

async function stuckFor(by: Person): Promise<{ analysisId: string; [name: string]: unknown }[]> {
  const { status, body } = await call(by, 'GET', PATH)
  return status === 200 ? body.data : Promise.reject(new Error(`status ${status}`))
}

const idsFor = async (by: Person) => (await stuckFor(by)).map(({ analysisId }) => analysisId)

test.group('Stuck analyses', (group) => {
  let scene: Scene

  group.each.setup(async () => {
    scene = await Scene.set()
  })

  test('a failed distribution, with its problem', async ({ assert }) => {
    const { id, name } = await scene.analysis()
    await reported(id, { process: 'distribution', status: 'failed', problem: 'no such registry' })
    const [found, ...others] = await stuckFor(scene.researcher())

    assert.isEmpty(others)
    assert.deepInclude(found, {
      analysisId: id,
      name,
      process: 'distribution',
      status: 'failed',
      problem: 'no such registry',
    })
  })

  test('a build whose worker is silent, unless it reports or has ended', async ({ assert }) => {
    const [silent, lively, ended] = await Promise.all([1, 2, 3].map(() => scene.analysis()))
    await reported(silent!.id, { process: 'build', status: 'executing', secondsAgo: LONG_AGO() })
    await reported(lively!.id, { process: 'build', status: 'executing' })
    await reported(ended!.id, { process: 'build', status: 'executed', secondsAgo: LONG_AGO() })

    assert.deepEqual(await idsFor(scene.researcher()), [silent!.id as string])
  })

  test('a process that ended well is not stuck because another failed', async ({ assert }) => {
    const { id } = await scene.analysis()
    await reported(id, { process: 'build', status: 'executed', secondsAgo: LONG_AGO() })
    await reported(id, { process: 'distribution', status: 'failed' })

    const stuck = await stuckFor(scene.researcher())
    assert.deepEqual(
      stuck.map(({ process }) => process),
      ['distribution']
    )
  })

  test('analyses are those of the own realm, and of all realms in the master realm', async ({
    assert,
  }) => {
    const { id } = await scene.analysis()
    await reported(id, { process: 'distribution', status: 'failed' })

    assert.notInclude(await idsFor(scene.stranger()), id as string)
    assert.notInclude(await idsFor(scene.steward()), id as string)
    assert.include(await idsFor(scene.admin()), id as string)
  })

  test('analyses are found by an index of those that have not ended', async ({
    assert,
    cleanup,
  }) => {
    const client = await corePool().connect()
    cleanup(() => client.release())
    await client.query('begin; set local enable_seqscan = off')
    const { rows } = await client.query(`explain ${SELECT_STUCK}`, [RUNNING, 60, null])
    await client.query('rollback')

    assert.include(rows.map((row) => row['QUERY PLAN']).join('\n'), 'analyses_unsettled')
  })
})
