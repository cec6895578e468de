import { test } from '@japa/runner'

import { embeddedSurfaces, JOBS } from '#configuration/processes'
import { programs } from '#runtime/pool/programs'
import { env } from '#start/env'

const SETTINGS = {
  env: { ...env, SURFACES: embeddedSurfaces(env.IDENTITY_URL), JOBS: [...JOBS] },
  variables: {},
  port: undefined,
  databaseUrl: undefined,
  folder: '/pool',
}

test.group('The environment of members of a pool', () => {
  test('the environment names no surfaces and no jobs where it would name all: an older version knows fewer', ({
    assert,
  }) => {
    const { web, jobs } = programs(SETTINGS)
    assert.isNotEmpty(web)
    assert.isNotEmpty(jobs)
    web.forEach(({ environment }) =>
      assert.containSubset(environment, { SURFACES: undefined, JOBS: 'none' })
    )
    jobs.forEach(({ environment }) =>
      assert.containSubset(environment, { SURFACES: 'none', JOBS: undefined })
    )
  })

  test('the environment names what the operator names, and what is less than all', ({ assert }) => {
    const variables = { SURFACES: 'all', JOBS: 'all' }
    const stated = programs({ ...SETTINGS, variables })
    assert.equal(stated.web[0]!.environment.SURFACES, SETTINGS.env.SURFACES.join())
    assert.equal(stated.jobs[0]!.environment.JOBS, JOBS.join())
    const some = { ...env, SURFACES: ['core' as const], JOBS: ['bus' as const] }
    const { web, jobs } = programs({ ...SETTINGS, env: some })
    assert.equal(web[0]!.environment.SURFACES, 'core')
    assert.equal(jobs[0]!.environment.JOBS, 'bus')
  })
})
