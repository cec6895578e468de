import { test } from '@japa/runner'

import { requestStep } from '#oci/registry/request_step'

const DIGEST = `sha256:${'0'.repeat(64)}`

test.group('The step of a request to a registry', () => {
  for (const [path, template] of [
    ['/v2/a/b/manifests/latest', '/v2/{name}/manifests/{reference}'],
    [`/v2/a/b/blobs/${DIGEST}`, '/v2/{name}/blobs/{digest}'],
    ['/v2/a/b/blobs/uploads/', '/v2/{name}/blobs/uploads/'],
    ['/v2/a/b/blobs/uploads/a-session', '/v2/{name}/blobs/uploads/{session}'],
    [`/v2/a/b/referrers/${DIGEST}`, '/v2/{name}/referrers/{digest}'],
    ['/v2/a/b/tags/list', '/v2/{name}/tags/list'],
    ['/v2/', '/v2/'],
  ]) {
    test(`the span is named after ${template}`, ({ assert }) => {
      const url = new URL(`https://registry.example.org${path}`)
      const { name, attributes } = requestStep({ method: 'GET', url })
      assert.equal(name, `GET ${template}`)
      assert.deepEqual(attributes, {
        'http.request.method': 'GET',
        'server.address': 'registry.example.org',
        'server.port': 443,
        'url.scheme': 'https',
        'url.template': template!,
      })
    })
  }

  test('the span has the method alone at another server, and never its path or query', ({
    assert,
  }) => {
    const url = new URL('http://store.example.org:9000/secret/path?X-Amz-Signature=secret')
    const step = requestStep({ method: 'GET', url })
    assert.equal(step.name, 'GET')
    assert.equal(step.attributes['server.port'], 9000)
    assert.notInclude(JSON.stringify(step), 'secret')
  })

  test('the span never has the session of an upload', ({ assert }) => {
    const url = new URL('http://localhost:5000/v2/a/blobs/uploads/secret?_state=secret')
    assert.notInclude(JSON.stringify(requestStep({ method: 'PATCH', url })), 'secret')
  })

  test('the span has the status of the response', ({ assert }) => {
    const { attributesOf } = requestStep({ method: 'HEAD', url: new URL('http://localhost/v2/') })
    assert.deepEqual(attributesOf({ statusCode: 404 } as never), {
      'http.response.status_code': 404,
    })
  })
})
