import { test } from '@japa/runner'

import { address, isForeign, SERVICES, useInstallation, type Service } from './installation.js'
import { OPERATIONS } from './operations.js'

interface OpenApi {
  openapi: string
  info: { title: string; version: string }
  paths: Record<string, Record<string, unknown>>
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
      const paths = OPERATIONS[service].map((operation) => operation.split(' ')[1]!)
      for (const path of new Set(['/', ...paths])) {
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
