import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

import { test } from '@japa/runner'

import { issue, type Issue } from '#kernel/issues'
import { occurs, serves, unmetIssues } from '#tests/helpers/http/error_cases'
import { ErrorFixture } from '#tests/helpers/http/error_fixture'

const name = issue('required', ['name'], 'is missing')
const scope = issue('required', ['scope'], 'is missing')
const grouped: Issue = { type: 'group', path: [], message: '', meta: {}, issues: [name, scope] }

test.group('Expected issues', () => {
  test('an issue is met by one of the same code and path, in groups too', ({ assert }) => {
    const expected = [{ code: 'required', path: ['scope'] }]
    assert.deepEqual(unmetIssues(expected, [name, scope]), [])
    assert.deepEqual(unmetIssues(expected, [grouped]), [])
    assert.deepEqual(unmetIssues(expected, [name]), expected)
    assert.deepEqual(unmetIssues([{ code: 'pattern', path: ['name'] }], [name]).length, 1)
  })

  test('an issue of the answer meets one expectation only', ({ assert }) => {
    const twice = [
      { code: 'required', path: ['name'] },
      { code: 'required', path: ['name'] },
    ]
    assert.lengthOf(unmetIssues(twice, [name]), 1)
    assert.lengthOf(unmetIssues(twice, [name, name]), 0)
  })

  test('an expectation without a path takes what the others leave', ({ assert }) => {
    const expected = [{ code: 'required' }, { code: 'required', path: ['name'] }]
    assert.deepEqual(unmetIssues(expected, [name, scope]), [])
    assert.deepEqual(unmetIssues(expected, [name]), [{ code: 'required' }])
  })
})

test.group('Absent paths', () => {
  test('a path occurs where it has a value, also null, in any element', ({ assert }) => {
    assert.isTrue(occurs({ data: [{ id: 1 }, { secret: null }] }, 'data.*.secret'))
    assert.isFalse(occurs({ data: [{ id: 1 }, { id: 2 }] }, 'data.*.secret'))
    assert.isFalse(occurs({ meta: {} }, 'data.secret'))
    assert.isFalse(occurs(null, 'data'))
  })

  test('nothing can be absent from a list that is empty or none', ({ assert }) => {
    assert.throws(() => occurs({ data: [] }, 'data.*.secret'), /Nothing can be absent from/)
    assert.throws(() => occurs({ data: {} }, 'data.*.secret'), /Nothing can be absent from/)
  })
})

test.group('Routes that a case needs', () => {
  const routes = [
    { method: 'GET', path: '/' },
    { method: 'GET', path: '/nodes/:id' },
    { method: 'POST', path: '/nodes' },
  ] as const

  test('{method} {path} is served: {expected}')
    .with([
      { method: 'GET', path: '/', expected: true },
      { method: 'GET', path: '/nodes/abc?fields=id', expected: true },
      { method: 'GET', path: '/nodes', expected: false },
      { method: 'POST', path: '/nodes', expected: true },
      { method: 'PUT', path: '/nodes', expected: true },
      { method: 'PUT', path: '/analyses', expected: false },
      { method: 'GET', path: '/nodes/abc/client', expected: false },
    ])
    .run(({ assert }, { method, path, expected }) => {
      assert.equal(serves(routes, method, path), expected)
    })
})

test.group('Fixture of the error cases', (group) => {
  const requests: string[] = []
  let refused: string | undefined
  let origin: string

  group.setup(async () => {
    const server = createServer(async (request, response) => {
      const line = `${request.method} ${request.url} ${await bodyOf(request)}`.trim()
      requests.push(line)
      const record = { id: `id${request.url!.replaceAll('/', '-')}`, registryProjectId: 'one' }
      response.statusCode = refused && line.startsWith(refused) ? 409 : 200
      response.end(JSON.stringify({ data: record }))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    return () => void server.close()
  })

  group.each.setup(() => {
    requests.length = 0
    refused = undefined
  })

  async function bodyOf(request: IncomingMessage): Promise<string> {
    return request.method === 'POST' ? JSON.stringify(await json(request)) : ''
  }

  function fixtureOf(collections: string[]): ErrorFixture {
    return new ErrorFixture({
      address: (_, path) => origin + path,
      isServed: (_, method, path) => method === 'POST' && collections.includes(path),
      headers: async () => ({ authorization: 'Bearer one' }),
    })
  }

  test('the fixture is made of what is served and unmade in the opposite order', async ({
    assert,
  }) => {
    const fixture = fixtureOf(['/nodes', '/projects', '/analyses'])
    await fixture.build()
    await fixture.remove()
    assert.deepEqual(requests, [
      'POST /nodes {"name":"node-one"}',
      'POST /nodes/id-nodes {"registryId":null}',
      'POST /projects {"name":"proj-one"}',
      'POST /analyses {"projectId":"id-projects"}',
      'DELETE /analyses/id-analyses',
      'DELETE /projects/id-projects',
      'DELETE /nodes/id-nodes',
    ])
    assert.isFalse(fixture.has('node'))
  })

  test('the fixture makes no analysis without a project', async ({ assert }) => {
    const fixture = fixtureOf(['/analyses'])
    await fixture.build()
    assert.deepEqual(requests, [])
    assert.isFalse(fixture.has('analysis'))
  })

  test('the fixture puts ids in the place of names, however deep', async ({ assert }) => {
    const fixture = fixtureOf(['/nodes', '/projects'])
    await fixture.build()
    assert.equal(fixture.fill('/nodes/{node}/x'), '/nodes/id-nodes/x')
    assert.deepEqual(fixture.fill({ list: [{ id: '{project}' }], count: 1, none: null }), {
      list: [{ id: 'id-projects' }],
      count: 1,
      none: null,
    })
  })

  test('the fixture leaves nothing behind where a step is refused, and says which', async ({
    assert,
  }) => {
    refused = 'POST /projects'
    const fixture = fixtureOf(['/nodes', '/projects'])
    await assert.rejects(() => fixture.build(), /could not POST \/projects of core: 409/)
    assert.equal(requests.at(-1), 'DELETE /nodes/id-nodes')
  })
})
