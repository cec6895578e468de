import { test } from '@japa/runner'

import { at } from '#tests/helpers/application'

const ENVELOPE_KEYS = ['code', 'issues', 'message', 'statusCode']

test.group('Error envelope', () => {
  test('an unknown path is not found')
    .with([
      { method: 'get', path: '/nothing-here' },
      { method: 'post', path: '/nothing-here' },
      { method: 'put', path: '/' },
      { method: 'patch', path: '/' },
      { method: 'put', path: '/probe/bodies' },
      { method: 'patch', path: '/probe/bodies' },
    ] as const)
    .run(async ({ client, assert }, { method, path }) => {
      const response = await client[method](at('core', path))
      assert.equal(response.status(), 404)
      assert.equal(response.body().code, 'entity_not_found')
      assert.sameMembers(Object.keys(response.body()), ENVELOPE_KEYS)
      assert.deepEqual(response.body().issues, [])
      assert.equal(response.header('content-type'), 'application/json; charset=utf-8')
    })

  test('malformed JSON and a JSON scalar are bad requests')
    .with(['{"name":', '"text"', '12', 'null', '{"a":1}}'])
    .run(async ({ client, assert }, raw) => {
      const response = await client
        .post(at('core', '/probe/bodies'))
        .type('json')
        .json(raw as never)
      assert.equal(response.status(), 400)
      assert.equal(response.body().code, 'bad_request')
    })

  test('a body beyond the limit is refused with 413', async ({ client, assert }) => {
    const response = await client
      .post(at('core', '/probe/bodies'))
      .json({ name: 'x'.repeat(1_200_000) })
    assert.equal(response.status(), 413)
    assert.equal(response.body().code, 'payload_too_large')
  })

  test('an unknown content encoding is refused with 415', async ({ client, assert }) => {
    const response = await client
      .post(at('core', '/probe/bodies'))
      .header('content-encoding', 'foo')
      .json({ name: 'abc' })
    assert.equal(response.status(), 415)
    assert.equal(response.body().code, 'media_type_unsupported')
  })

  test('another content type counts as an empty body')
    .with(['text/plain', 'application/vnd.hub+json', 'multipart/form-data; boundary=x', 'nonsense'])
    .run(async ({ assert }, type) => {
      const headers = { 'content-type': type }
      const sent = { method: 'POST', headers, body: '{"name":"abc"}' }
      const response = await fetch(at('core', '/probe/bodies'), sent)
      assert.equal(response.status, 400)
      const { issues } = (await response.json()) as { issues: object[] }
      assert.containsSubset(issues, [{ code: 'required', path: ['name'] }])
    })

  test('errors of the database become responses without details of the database')
    .with([
      { failure: '23505', status: 409, code: 'entity_conflict' },
      { failure: '23503', status: 400, code: 'entity_relation_invalid' },
      { failure: 'referenced', status: 409, code: 'entity_conflict' },
      { failure: '23502', status: 400, code: 'bad_request' },
      { failure: '22P02', status: 400, code: 'bad_request' },
      { failure: '22001', status: 400, code: 'bad_request' },
      { failure: '53100', status: 507, code: 'storage_insufficient' },
      { failure: '57P01', status: 503, code: 'service_unavailable' },
      { failure: 'refused', status: 503, code: 'service_unavailable' },
      { failure: 'unforeseen', status: 500, code: 'internal_error' },
    ])
    .run(async ({ client, assert }, { failure, status, code }) => {
      const response = await client.get(at('core', `/probe/failures/${failure}`))
      assert.equal(response.status(), status)
      assert.equal(response.body().statusCode, status)
      assert.equal(response.body().code, code)
      assert.sameMembers(Object.keys(response.body()), ENVELOPE_KEYS)
      assert.notMatch(response.text(), /select|insert|ECONN|vault|table/)
    })

  test('an error after the handler has returned becomes a response as well')
    .with([
      { failure: '57P01', status: 503, code: 'service_unavailable' },
      { failure: 'unforeseen', status: 500, code: 'internal_error' },
    ])
    .run(async ({ client, assert }, { failure, status, code }) => {
      const response = await client.get(at('core', `/probe/deferred/${failure}`))
      assert.equal(response.status(), status)
      assert.equal(response.body().code, code)
      assert.sameMembers(Object.keys(response.body()), ENVELOPE_KEYS)
    })

  test('a missing login is 401 with a challenge', async ({ client, assert }) => {
    const response = await client.get(at('core', '/probe/identity'))
    assert.equal(response.status(), 401)
    assert.equal(response.body().code, 'identity_unauthorized')
    assert.equal(response.header('www-authenticate'), 'Bearer error="invalid_token"')
  })
})
