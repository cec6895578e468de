import { readFileSync } from 'node:fs'

import { test } from '@japa/runner'

import type { Access } from '#kernel/access'
import { describe } from '#query/describe'
import { PLATFORM_PERMISSIONS } from '#auth/permission_names'
import { useEventSink } from '#tests/helpers/container'
import type { RecordChange } from '#records/events'
import { knownRealms } from '#tests/functional/identity/known_realms'
import { providerVocabulary } from '#tests/functional/identity/provider_vocabulary'
import { allKinds, type ServedKind } from '#tests/helpers/records/all_kinds'
import { at } from '#tests/helpers/application'
import { identity, REALMS } from '#tests/helpers/identities'
import { sampleBody, sampleRecord } from '#tests/helpers/sample_records'

interface Vocabulary {
  seed: object
}

const vectors = JSON.parse(
  readFileSync(new URL('../vectors/schemas.json', import.meta.url), 'utf8')
) as Record<string, Record<string, Vocabulary>>

const permissionsIn = (access: Access) =>
  access.kind === 'permissions' ? ('all' in access ? access.all : access.any) : []

const { headers } = identity({
  permissions: [
    ...PLATFORM_PERMISSIONS,
    ...allKinds.flatMap(({ kind }) => Object.values(kind.access).flatMap(permissionsIn)),
  ],
})

async function get({ surface }: ServedKind, path: string, extra: Record<string, string> = {}) {
  const response = await fetch(at(surface, path), { headers: { ...headers, ...extra } })
  return { response, body: (await response.json()) as { data: any; meta: any; issues: any[] } }
}

async function send({ surface }: ServedKind, method: string, path: string, body?: object) {
  const response = await fetch(at(surface, path), {
    method,
    headers: { ...headers, 'content-type': 'application/json' },
    body: body && JSON.stringify(body),
  })
  return { response, body: (await response.json()) as { data: any; meta: any } }
}

const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
const renamed = (names: readonly string[] = []) => names.filter((name) => snakeCase(name) !== name)

for (const served of allKinds) {
  const { kind, surface } = served
  const { declaration, collection, name } = kind

  test.group(`Kind ${name}`, (group) => {
    let id: string

    group.setup(knownRealms)
    group.each.setup(async () => {
      id = (await sampleRecord(surface, kind)).id as string
    })

    test('the kind describes itself as clients know it', async ({ assert }) => {
      const vector = vectors[surface]?.[`GET ${collection}`]
      const seed = vector?.seed ?? providerVocabulary(kind)
      assert.deepEqual(describe(declaration).collection, seed as never)
      const { body } = await get(served, collection)
      assert.equal(JSON.stringify(body.meta.schema), JSON.stringify(seed))
    })

    test('the kind has exactly the known keys under meta, by class of route', async ({
      assert,
    }) => {
      const list = await get(served, collection)
      assert.sameMembers(Object.keys(list.body.meta), ['total', 'limit', 'offset', 'schema'])
      const read = await get(served, `${collection}/${id}`)
      assert.sameMembers(Object.keys(read.body.meta), ['schema'])
      assert.sameMembers(Object.keys(read.body.meta.schema), [
        'name',
        'strict',
        'indexes',
        'fields',
        'relations',
      ])
      if (kind.access.create) {
        const sample = await sampleBody(surface, kind, REALMS.master)
        const created = await send(served, 'POST', collection, sample)
        assert.equal(created.response.status, 201)
        assert.deepEqual(created.body.meta, {})
      }
      if (kind.access.update) {
        const updated = await send(served, 'POST', `${collection}/${id}`, {})
        assert.equal(updated.response.status, 202)
        assert.deepEqual(updated.body.meta, {})
      }
      if (kind.access.remove) {
        const removed = await send(served, 'DELETE', `${collection}/${id}`)
        assert.equal(removed.response.status, 202)
        assert.deepEqual(removed.body.meta, {})
        assert.equal(removed.body.data.id, id)
        assert.equal((await get(served, `${collection}/${id}`)).response.status, 404)
      }
    })

    test('the kind drops and reports keys in snake_case, and changes nothing else', async ({
      assert,
    }) => {
      const plain = await get(served, `${collection}?sort=-createdAt`)
      const cases = [
        ...renamed(declaration.filters?.allowed).map((key) => [
          'filters',
          `filter[${snakeCase(key)}]=x`,
          key,
        ]),
        ...renamed(declaration.sorts?.allowed).map((key) => [
          'sorts',
          `sort=${snakeCase(key)}`,
          key,
        ]),
        ...renamed(declaration.fields?.default).map((key) => [
          'fields',
          `fields=${snakeCase(key)}`,
          key,
        ]),
        ...renamed(declaration.relations?.allowed).map((key) => [
          'relations',
          `include=${snakeCase(key)}`,
          key,
        ]),
      ] as const
      for (const [parameter, query, key] of cases) {
        const { response, body } = await get(served, `${collection}?${query}`)
        assert.equal(response.status, 200, query)
        assert.equal(body.meta.total, plain.body.meta.total, query)
        const keys = Object.keys(body.data[0])
        assert.sameMembers(keys, Object.keys(plain.body.data[0]), query)
        assert.include(response.headers.get('x-dropped-keys'), `${parameter}.${snakeCase(key!)}`)
        const strict = await get(served, `${collection}?${query}`, { prefer: 'handling=strict' })
        assert.equal(strict.response.status, 400, query)
        assert.isNotEmpty(strict.body.issues)
      }
    })

    test('the kind is unchanged by an update without changes, which publishes no event', async ({
      assert,
      cleanup,
    }) => {
      if (!kind.access.update) {
        return
      }
      const changes: RecordChange[] = []
      cleanup(useEventSink({ record: async (_transaction, change) => void changes.push(change) }))
      const path = `${collection}/${id}`
      const { body: before } = await get(served, path)
      const { response, body } = await send(served, 'POST', path, {})
      assert.equal(response.status, 202)
      assert.deepEqual(body.data, before.data)
      assert.notInclude(
        changes.map((change) => change.id),
        id
      )
    })

    test('the kind drops and reports unknown attributes of a body', async ({ assert }) => {
      if (!kind.access.update) {
        return
      }
      const body = JSON.stringify({ display_name: 'x' })
      const change = (extra: object) =>
        fetch(at(surface, `${collection}/${id}`), {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json', ...extra },
          body,
        })
      const lenient = await change({})
      assert.equal(lenient.status, 202)
      assert.equal(lenient.headers.get('x-dropped-keys'), 'body.display_name')
      const strict = await change({ prefer: 'handling=strict' })
      assert.equal(strict.status, 400)
    })
  })
}
