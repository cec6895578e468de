import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { test } from '@japa/runner'

import { ImageLocations } from '#worker/images/image_locations'
import { imageStores } from '#worker/images/stores'
import { StandInPlatform } from '#tests/helpers/worker/stand_in_platform'

const ANALYSIS = randomUUID()
const ACCOUNT = { accountName: 'worker', accountSecret: 'secret' }

const registryAt = (host: string) => ({ id: randomUUID(), name: host, host, ...ACCOUNT })

test.group('The location of a build', (group) => {
  let platform: StandInPlatform
  let locations: ImageLocations

  group.each.setup(async () => {
    platform = await StandInPlatform.start()
    const folder = await mkdtemp(join(tmpdir(), 'hub-test-'))
    const { signal } = new AbortController()
    locations = new ImageLocations(
      imageStores({ folder, insecure: [] }),
      platform.client(signal),
      signal
    )
    return async () => {
      await platform.stop()
      await rm(folder, { recursive: true, force: true })
    }
  })

  const older = registryAt('older.example.org')
  const own = registryAt('own.example.org')
  const incoming = { type: 'incoming', externalName: 'builds' }
  const setUp = ({ id: registryId }: { id: string }, externalId: string | null = '1') =>
    [incoming, { type: 'masterImages', externalName: 'master' }].map((project) => ({
      id: randomUUID(),
      registryId,
      externalId,
      ...project,
    }))

  /** A platform without the build registry endpoint. */
  const listing = (registryId?: string) => {
    platform.analysis = { id: ANALYSIS, registryId }
    platform.registries = [older, own]
    platform.registryProjects = [...setUp(older), ...setUp(own)]
  }

  test('the location is read with one request', async ({ assert }) => {
    platform.buildRegistry = () => ({ registry: { ...own, projects: [incoming] } })
    const location = await locations.forBuild(ANALYSIS)
    assert.equal(await location.build(ANALYSIS), `builds/${ANALYSIS}`)
    assert.equal(location.name, `the registry ${own.host}`)
    assert.deepEqual(platform.asked, [`/analyses/${ANALYSIS}/build-registry`])
  })

  test('the location is the folder if the platform has no registry', async ({ assert }) => {
    platform.buildRegistry = () => ({ registry: null })
    const location = await locations.forBuild(ANALYSIS)
    assert.isTrue(location.isFolder)
    assert.equal(await location.build(ANALYSIS), `incoming/${ANALYSIS}`)
  })

  test('the location is the folder if its registry is the local one', async ({ assert }) => {
    const local = registryAt('local-images')
    platform.buildRegistry = () => ({ registry: { ...local, projects: [incoming] } })
    const location = await locations.forBuild(ANALYSIS)
    assert.isTrue(location.isFolder)
    assert.equal(await location.build(ANALYSIS), `builds/${ANALYSIS}`)
  })

  test('the location is the registry of the analysis on platforms without the endpoint', async ({
    assert,
  }) => {
    listing(own.id)
    const location = await locations.forBuild(ANALYSIS)
    assert.equal(location.name, `the registry ${own.host}`)
    assert.equal(await location.build(ANALYSIS), `builds/${ANALYSIS}`)
  })

  test('the location is the first registry of such a platform, else the folder', async ({
    assert,
  }) => {
    listing()
    assert.equal((await locations.forBuild(ANALYSIS)).name, `the registry ${older.host}`)
    platform.registries = []
    assert.isTrue((await locations.forBuild(ANALYSIS)).isFolder)
  })

  test('the location is the next registry if one is not set up, else the folder: {what}')
    .with([
      { what: 'a registry without projects', first: [] },
      { what: 'a registry whose projects were not made yet', first: setUp(older, null) },
    ])
    .run(async ({ assert }, { first }) => {
      listing(older.id)
      platform.registryProjects = [...first, ...setUp(own)]
      assert.equal((await locations.forBuild(ANALYSIS)).name, `the registry ${own.host}`)
      assert.equal((await locations.forMasterImages()).name, `the registry ${own.host}`)
    })

  test('the location is the folder if no registry is set up', async ({ assert }) => {
    listing(own.id)
    platform.registryProjects = setUp(own, null)
    assert.isTrue((await locations.forBuild(ANALYSIS)).isFolder)
    assert.isTrue((await locations.forMasterImages()).isFolder)
  })
})
