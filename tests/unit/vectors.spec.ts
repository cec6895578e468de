import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { test } from '@japa/runner'

import {
  placeholdersIn,
  readDecodeVectors,
  readEndpointSchemas,
  readErrorCases,
  readExecuteVectors,
  readHarborExchanges,
  VectorsUnusable,
} from '#tests/helpers/vectors'

const nobody = { token: 'none' }
const somebody = { token: 'valid', kind: 'user', permissions: 'all', realm: 'master' }

const errorCase = {
  title: 'a case',
  surface: 'core',
  method: 'GET',
  path: '/nodes',
  actor: nobody,
  expect: { status: 401 },
}
const decodeCase = { id: 'one', schema: 'node', mode: 'record', query: '', expected: { ok: true } }
const executeCase = { id: 'one', query: '', expected: { status: 200 } }

const READERS = [
  { name: 'error cases', read: readErrorCases, good: errorCase },
  { name: 'decode vectors', read: readDecodeVectors, good: decodeCase },
  { name: 'execute vectors', read: readExecuteVectors, good: executeCase },
]

test.group('Test vectors', (group) => {
  let folder: string

  group.setup(() => {
    folder = mkdtempSync(join(tmpdir(), 'hub-vectors-'))
    return () => rmSync(folder, { recursive: true })
  })

  function written(content: unknown): string {
    const file = join(folder, 'vectors.json')
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
    return file
  }

  test('those of this repository can be used', ({ assert }) => {
    assert.isNotEmpty(readErrorCases(''))
    assert.isNotEmpty(readDecodeVectors('').cases)
    assert.isNotEmpty(readExecuteVectors('').cases)
    assert.lengthOf(readHarborExchanges(), 225)
    assert.equal(readEndpointSchemas().core!['GET /nodes']!.schema, 'node')
  })

  test('{name} of a file that is named are read from there')
    .with(READERS)
    .run(({ assert }, { read, good }) => {
      const found = read(written({ cases: [good] }))
      assert.deepEqual('cases' in found ? found.cases : found, [good] as never[])
    })

  test('{name} refuse a named file that is missing')
    .with(READERS)
    .run(({ assert }, { read }) => {
      const missing = join(folder, 'missing.json')
      assert.throws(() => read(missing), VectorsUnusable, /missing\.json cannot be read/)
    })

  test('{name} refuse a file that is not JSON or holds no case')
    .with(READERS)
    .run(({ assert }, { read }) => {
      assert.throws(() => read(written('{"cases":')), VectorsUnusable, /cannot be read as JSON/)
      for (const content of ['null', '[]', {}, { cases: [] }, { cases: {} }]) {
        assert.throws(() => read(written(content)), VectorsUnusable, /holds no case/)
      }
    })

  test('an unknown actor is refused')
    .with([
      { actor: undefined, part: 'token' },
      { actor: { token: 'expired' }, part: 'token' },
      { actor: { ...somebody, kind: 'service' }, part: 'kind' },
      { actor: { ...somebody, permissions: 'some' }, part: 'permissions' },
      { actor: { ...somebody, realm: 'third' }, part: 'realm' },
      { actor: { token: 'valid', kind: 'user', permissions: 'all' }, part: 'realm' },
    ])
    .run(({ assert }, { actor, part }) => {
      const file = written({ cases: [errorCase, { ...errorCase, title: 'the odd one', actor }] })
      const message = new RegExp(`"the odd one": the ${part} .* of the actor is unknown`)
      assert.throws(() => readErrorCases(file), VectorsUnusable, message)
    })

  test('every actor that can be played is accepted')
    .with([
      nobody,
      { token: 'malformed' },
      { token: 'revoked' },
      somebody,
      { token: 'valid', kind: 'client', permissions: 'none', realm: 'other' },
      { token: 'valid', kind: 'robot', permissions: 'none', realm: 'master' },
    ])
    .run(({ assert }, actor) => {
      assert.lengthOf(readErrorCases(written({ cases: [{ ...errorCase, actor }] })), 1)
    })

  test('an unknown placeholder is refused in the path and in the body')
    .with([
      { path: '/nodes/{nodes}' },
      { path: '/nodes/{}' },
      { body: { projectId: '{Project}' } },
      { body: { list: [{ id: '{registry}' }] } },
    ])
    .run(({ assert }, part) => {
      const file = written({ cases: [{ ...errorCase, ...part }] })
      assert.throws(() => readErrorCases(file), VectorsUnusable, /the placeholder .* is unknown/)
    })

  test('known placeholders are found once each, braces of a raw body are not placeholders', ({
    assert,
  }) => {
    const entry = {
      path: '/analyses/{analysis}?filter[id]={node}',
      body: { ids: ['{node}', { bucket: '{bucket}', count: 2, none: null }] },
      rawBody: '{"name":"{unknown}"}',
    }
    assert.deepEqual(placeholdersIn(entry), ['analysis', 'node', 'bucket'])
    assert.lengthOf(readErrorCases(written({ cases: [{ ...errorCase, ...entry }] })), 1)
  })

  test('an unknown surface is refused', ({ assert }) => {
    const file = written({ cases: [{ ...errorCase, surface: 'hub' }] })
    assert.throws(() => readErrorCases(file), VectorsUnusable, /the surface "hub" is unknown/)
  })

  test('an unknown mode of decoding is refused', ({ assert }) => {
    const file = written({ cases: [{ ...decodeCase, mode: 'sortsOnly' }] })
    assert.throws(() => readDecodeVectors(file), VectorsUnusable, /case one: the mode "sortsOnly"/)
  })

  test('an unknown schema is refused, one that the file itself describes is not', ({ assert }) => {
    const cases = [{ ...decodeCase, schema: 'probeNew' }]
    const unknown = written({ cases })
    assert.throws(() => readDecodeVectors(unknown), VectorsUnusable, /the schema "probeNew"/)
    const described = written({ probes: { probeNew: { name: 'probeNew' } }, cases })
    assert.deepEqual(readDecodeVectors(described).cases, cases as never[])
  })
})
