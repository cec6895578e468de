import { test } from '@japa/runner'

import { descriptionOf, type OpenApi } from './description.js'
import { address, isForeign, SERVICES, useInstallation, type Service } from './installation.js'

const ID = '9b2d7a54-0000-4000-8000-000000000000'

const COLLECTIONS: Record<Service, string[]> = {
  core: ['/analyses', '/projects', '/nodes', '/registries', '/master-images'],
  storage: ['/buckets', '/bucket-files'],
  telemetry: ['/events', '/logs'],
  messenger: ['/messages'],
}

/** Whether an installation, as it may in production, keeps its description to itself. */
async function hidesDescription(service: Service): Promise<boolean> {
  try {
    const response = await fetch(address(service, '/docs'), { method: 'HEAD' })
    return isForeign(service) && response.status === 404
  } catch {
    return false
  }
}

test.group('Interface: description', (group) => {
  useInstallation(group)

  const described = test(
    'What the service does / Common rules 2: {$self} describes its interface at /docs'
  )
    .with([...SERVICES])
    .run(async ({ assert }, service) => {
      const forPrograms = await fetch(address(service, '/docs'), {
        headers: { accept: 'application/json' },
      })
      assert.equal(forPrograms.status, 200)
      assert.match(forPrograms.headers.get('content-type')!, /^application\/json/)
      const description = (await forPrograms.json()) as OpenApi
      assert.match(description.openapi, /^3\./)
      assert.isNotEmpty(description.info.title)
      assert.containsSubset(description.paths, { '/': { get: { responses: { 200: {} } } } })

      const forPeople = await fetch(address(service, '/docs'), { headers: { accept: 'text/html' } })
      assert.equal(forPeople.status, 200)
      assert.match(forPeople.headers.get('content-type')!, /^text\/html/)
      assert.include(await forPeople.text(), description.info.title)
    })
  described.skip(
    () => hidesDescription('core'),
    'this installation does not show its description to everybody'
  )

  test('Endpoints / Common rules 1b: nothing of {$self} answers to PUT')
    .with([...SERVICES])
    .run(async ({ assert }, service) => {
      const description = await descriptionOf(service)
      const operations = Object.values(description?.paths ?? {}).flatMap(Object.keys)
      assert.notInclude(operations, 'put')
      const paths = Object.keys(description?.paths ?? {}).map((path) =>
        path.replaceAll(/\{[^}]+\}/g, ID)
      )
      const collections = COLLECTIONS[service].flatMap((path) => [path, `${path}/${ID}`])
      for (const path of new Set(['/', ...paths, ...collections])) {
        const response = await fetch(address(service, path), {
          method: 'PUT',
          headers: { 'content-type': 'application/json' },
          body: '{}',
        })
        assert.equal(response.status, 404, path)
        assert.containsSubset(await response.json(), { statusCode: 404, code: 'entity_not_found' })
      }
    })
})
