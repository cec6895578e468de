import { test } from '@japa/runner'

import { corePool } from '#core/database'
import { analysesCheck } from '#doctor/checks/analyses'
import { credentialsCheck } from '#doctor/checks/credentials'
import { examined } from '#tests/helpers/doctor'

import { reported, Scene } from './analysis_scene.js'

test.group('The doctor | records', () => {
  const reason = async (check: typeof analysesCheck) => {
    const { findings } = await examined({ surfaces: ['core'], checks: [check] })
    return findings.map(({ code, message }) => `${code} ${message}`).join('\n')
  }

  test('a build without further reports', async ({ assert }) => {
    const scene = await Scene.set()
    const { id } = await scene.analysis()
    assert.notInclude(await reason(analysesCheck), id as string)
    await reported(id, { process: 'build', status: 'started', secondsAgo: 20 * 60 })
    assert.match(await reason(analysesCheck), /^ANALYSES_STUCK /)
  })

  test('secrets that are older than a year, until they are replaced', async ({
    assert,
    cleanup,
  }) => {
    const scene = await Scene.set()
    const { id } = await scene.analysis()
    const age = (interval: string) =>
      corePool().query(
        `update analyses set client_id = gen_random_uuid(), created_at = now() - $2::interval where id = $1`,
        [id, interval]
      )
    await age('20 years')
    cleanup(async () => void (await age('1 second')))
    assert.include(await reason(credentialsCheck), `analysis ${id}`)
    await corePool().query(
      'insert into replaced_secrets (record_id, replaced_at) values ($1, now())',
      [id]
    )
    assert.notInclude(await reason(credentialsCheck), `analysis ${id}`)
  })
})
