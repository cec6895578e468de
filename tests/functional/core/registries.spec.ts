import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import { analysis } from '#core/analyses/analysis'
import { node } from '#core/nodes/node'
import { project as projectKind } from '#core/projects/project'
import { EnvironmentRegistry } from '#core/registries/environment_registry'
import { registryProject } from '#core/registry_projects/registry_project'
import { corePool } from '#core/database'
import { useEventSink } from '#tests/helpers/container'
import type { RecordChange } from '#records/events'
import { seal, unseal } from '#records/sealing'
import { clock } from '#kernel/clock'
import { identity, REALMS } from '#tests/helpers/identities'
import { sampleRecord } from '#tests/helpers/sample_records'

import { member, newRealm, uniqueName } from './node_scene.js'
import { send } from './registry_scene.js'

const text = (length: number) => 'a'.repeat(length)
/** Marks an attribute that is not sent. */
const MISSING = Symbol('missing')
const OK = 'ok'

type Case = readonly [value: unknown, expected: string]

const between = (least: number, most: number): Case[] => [
  [text(least - 1), 'min_length'],
  [text(most + 1), 'max_length'],
  ['', 'min_length'],
  [5, 'value_invalid'],
  [true, 'value_invalid'],
  [[], 'value_invalid'],
]

const nullable = (least: number, most: number): Case[] => [
  [MISSING, OK],
  [null, OK],
  [text(least), OK],
  [text(most), OK],
  ...between(least, most),
]

const needed = (least: number, most: number): Case[] => [
  [MISSING, 'required'],
  [null, 'value_invalid'],
  ...between(least, most),
]

const OF_REGISTRIES: Record<string, Case[]> = {
  name: needed(3, 128),
  host: [...needed(3, 512), ['https://', 'value_invalid'], ['http://ab/c', 'value_invalid']],
  accountName: nullable(3, 256),
  accountSecret: nullable(3, 256),
}

const OF_PROJECTS: Record<string, Case[]> = {
  name: needed(5, 128),
  externalName: [...needed(3, 64), ['Upper', 'pattern'], ['a b c', 'pattern'], ['a/b', 'pattern']],
  type: [
    [MISSING, 'required'],
    [null, 'value_invalid'],
    ['other', 'one_of_failed'],
    [5, 'one_of_failed'],
    ['aggregator', OK],
    ['masterImages', OK],
  ],
  registryId: [
    [MISSING, 'required'],
    [null, 'value_invalid'],
    ['x', 'uuid'],
    [5, 'value_invalid'],
    [clock.uuid(), 'entity_relation_invalid'],
  ],
}

const registryBody = () => ({ name: uniqueName('registry'), host: `${uniqueName('host')}.example` })

const newRegistry = async (body: object = {}) =>
  (await send('POST', '/registries', { ...registryBody(), ...body })).body.data

const projectBody = (registryId: unknown) => ({
  name: uniqueName('project'),
  externalName: uniqueName('external'),
  type: 'default',
  registryId,
})

/** The issues of one attribute in a response. */
function verdictOn(name: string, { status, body }: Awaited<ReturnType<typeof send>>): string {
  if (status < 300) {
    return OK
  }
  if (body.code === 'entity_relation_invalid') {
    return body.code
  }
  const found = body.issues?.find(({ path }: { path: string[] }) => path[0] === name)
  return found?.code ?? `${status} ${body.code}`
}

function withAttribute(body: Record<string, unknown>, name: string, value: unknown) {
  const others = Object.entries(body).filter(([key]) => key !== name)
  return Object.fromEntries(value === MISSING ? others : [...others, [name, value]])
}

test.group('Bodies of registries and their projects', () => {
  for (const [path, table] of [
    ['/registries', OF_REGISTRIES],
    ['/registry-projects', OF_PROJECTS],
  ] as const) {
    for (const [name, cases] of Object.entries(table)) {
      test(`C5: ${name} of ${path}, created and updated`, async ({ assert }) => {
        const { id: registryId } = await newRegistry()
        const body = () => (path === '/registries' ? registryBody() : projectBody(registryId))
        const record = (await send('POST', path, body())).body.data
        for (const [value, expected] of cases) {
          const title = `${name}: ${String(value).slice(0, 20)}`
          const created = await send('POST', path, withAttribute(body(), name, value))
          const verdict = verdictOn(name, created)
          assert.equal(verdict, expected, title)
          const updated = await send('POST', `${path}/${record.id}`, withAttribute({}, name, value))
          const isFixed = ['type', 'registryId'].includes(name)
          const isFine = isFixed || value === MISSING || expected === OK
          assert.equal(updated.status, isFine ? 202 : 400, `update, ${title}`)
        }
      })
    }
  }

  test('C8: a project in a missing registry is rejected', async ({ assert }) => {
    const { status, body } = await send('POST', '/registry-projects', projectBody(clock.uuid()))
    assert.equal(status, 400)
    assert.equal(body.code, 'entity_relation_invalid')
    assert.deepEqual(body.issues[0].path, ['registryId'])
  })

  test('C4: an invalid id is not found', async ({ assert }) => {
    for (const path of ['/registries/x', '/registry-projects/x']) {
      assert.equal((await send('GET', path)).status, 404)
      assert.equal((await send('POST', path, {})).status, 404)
      assert.equal((await send('DELETE', path)).status, 404)
    }
  })

  test('names, hosts and external names are unique', async ({ assert }) => {
    const first = await newRegistry()
    const { name, host } = first
    for (const body of [
      { ...registryBody(), name },
      { ...registryBody(), host },
      { ...registryBody(), host: `https://${host}` },
    ]) {
      const { status, body: told } = await send('POST', '/registries', body)
      assert.equal(status, 409)
      assert.equal(told.code, 'entity_conflict')
    }
    const project = (await send('POST', '/registry-projects', projectBody(first.id))).body.data
    for (const same of [{ name: project.name }, { externalName: project.externalName }]) {
      const body = { ...projectBody(first.id), ...same }
      assert.equal((await send('POST', '/registry-projects', body)).status, 409)
      const elsewhere = { ...body, registryId: (await newRegistry()).id }
      assert.equal((await send('POST', '/registry-projects', elsewhere)).status, 201)
    }
  })

  test('L20: the host of a registry keeps its port', async ({ assert }) => {
    const name = uniqueName('harbor')
    for (const [sent, kept] of [
      [`https://${name}.example:8443/`, `${name}.example:8443`],
      [`http://User:pass@${name}-2.example:80`, `${name}-2.example:80`],
      [`HTTPS://${name}-3.EXAMPLE/path?x`, `${name}-3.example`],
      [`${name}-4.example:5000`, `${name}-4.example:5000`],
    ]) {
      const { body } = await send('POST', '/registries', { ...registryBody(), host: sent })
      assert.equal(body.data.host, kept)
      const again = await send('POST', `/registries/${body.data.id}`, { host: sent })
      assert.equal(again.body.data.host, kept)
    }
  })
})

test.group('Registry projects', () => {
  test('projects belong to no realm, and are public unless they are for nodes or shall not be', async ({
    assert,
  }) => {
    const { id: registryId } = await newRegistry()
    for (const [type, isPublic] of [
      ['default', true],
      ['aggregator', true],
      ['masterImages', true],
      ['incoming', false],
      ['outgoing', false],
      ['node', false],
    ] as const) {
      for (const chosen of [undefined, true, false]) {
        const sent = { ...projectBody(registryId), type, public: chosen, realmId: clock.uuid() }
        const { status, body } = await send('POST', '/registry-projects', sent)
        assert.equal(status, 201)
        const shown = {
          type,
          public: isPublic && chosen !== false,
          realmId: null,
          externalId: null,
        }
        assert.containsSubset(body.data, shown)
      }
    }
  })

  test('C1: are written with the permission, in their realm', async ({ assert }) => {
    const { id: registryId } = await newRegistry()
    const realmId = await newRealm()
    const ofRealm = await sampleRecord('core', registryProject, { registryId, realmId })
    const ofNone = (await send('POST', '/registry-projects', projectBody(registryId))).body.data
    const manager = member(realmId, ['registry_project_manage'])
    const other = member(await newRealm(), ['registry_project_manage'])
    const idle = member(realmId, ['registry_manage'])
    const master = identity({ permissions: ['registry_project_manage'] })
    const name = uniqueName('renamed')
    for (const [by, id, status] of [
      [idle, ofRealm.id, 403],
      [other, ofRealm.id, 403],
      [manager, ofNone.id, 403],
      [manager, ofRealm.id, 202],
      [master, ofNone.id, 202],
    ] as const) {
      const path = `/registry-projects/${id}`
      assert.equal((await send('POST', path, { name }, by)).status, status)
      assert.equal((await send('DELETE', path, undefined, by)).status, status)
    }
    const body = projectBody(registryId)
    assert.equal((await send('POST', '/registry-projects', body, idle)).status, 403)
    assert.equal((await send('POST', '/registry-projects', body, manager)).status, 403)
    const incoming = { ...body, type: 'incoming' }
    assert.equal((await send('POST', '/registry-projects', incoming, manager)).status, 403)
    assert.equal((await send('POST', '/registry-projects', body, master)).status, 201)
  })

  test('disconnect their node when they are deleted', async ({ assert, cleanup }) => {
    const changes: RecordChange[] = []
    const { id: registryId } = await newRegistry()
    const realmId = await newRealm()
    const made = await send('POST', '/nodes', { name: uniqueName(), realmId, registryId })
    cleanup(useEventSink({ record: async (_, change) => void changes.push(change) }))
    const { id, registryProjectId } = made.body.data
    assert.equal((await send('DELETE', `/registry-projects/${registryProjectId}`)).status, 202)
    const { body } = await send('GET', `/nodes/${id}`)
    assert.isNull(body.data.registryProjectId)
    assert.deepEqual(
      changes.map(({ kind, type }) => `${kind} ${type}`),
      ['node updated', 'registryProject deleted']
    )
  })

  test('projects send a command for every change', async ({ assert }) => {
    const { id: registryId } = await newRegistry()
    const made = (await send('POST', '/registry-projects', projectBody(registryId))).body.data
    const path = `/registry-projects/${made.id}`
    await send('POST', path, { name: uniqueName('renamed') })
    const externalName = uniqueName('moved')
    await send('POST', path, { externalName })
    await send('DELETE', path)
    const { rows } = await corePool().query(
      `select content->'command'->>'type' as type, content->'command'->'data'->>'externalName' as name
       from outbox where ordered_by = $1 and queue = 'registryCommands' order by position`,
      [`registryProject/${made.id}`]
    )
    assert.deepEqual(
      rows.map(({ type, name }) => [type, name]),
      [
        ['PROJECT_LINK', null],
        ['PROJECT_LINK', null],
        ['PROJECT_UNLINK', made.externalName],
        ['PROJECT_LINK', null],
        ['PROJECT_UNLINK', externalName],
      ]
    )
    await corePool().query(`delete from outbox where queue = 'registryCommands'`)
  })
})

test.group('Registries', () => {
  test('C1: are written with the permission to manage them', async ({ assert }) => {
    const made = await newRegistry()
    const without = identity({ permissions: ['registry_project_manage'] })
    const path = `/registries/${made.id}`
    for (const answer of [
      await send('POST', '/registries', registryBody(), without),
      await send('POST', path, { name: uniqueName() }, without),
      await send('DELETE', path, undefined, without),
    ]) {
      assert.equal(answer.status, 403)
      assert.deepEqual(answer.body.issues[0].path, ['registry_manage'])
    }
    const central = identity({ permissions: ['registry_manage'] })
    assert.equal((await send('POST', path, { name: uniqueName() }, central)).status, 202)
    assert.equal((await send('DELETE', path, undefined, central)).status, 202)
  })

  test('registries are deleted with their projects, but without nodes and analyses', async ({
    assert,
    cleanup,
  }) => {
    const made = await newRegistry()
    const realmId = await newRealm()
    const connected = await send('POST', '/nodes', {
      name: uniqueName(),
      realmId,
      registryId: made.id,
    })
    const ofRealm = await sampleRecord('core', projectKind, { realmId })
    const using = await sampleRecord('core', analysis, {
      realmId,
      projectId: ofRealm.id,
      registryId: made.id,
    })
    const changes: RecordChange[] = []
    cleanup(useEventSink({ record: async (_, change) => void changes.push(change) }))
    assert.equal((await send('DELETE', `/registries/${made.id}`)).status, 202)
    const read = await send('GET', `/nodes/${connected.body.data.id}`)
    assert.isNull(read.body.data.registryId)
    assert.isNull(read.body.data.registryProjectId)
    assert.isNull((await send('GET', `/analyses/${using.id}`)).body.data.registryId)
    const { registryProjectId } = connected.body.data
    assert.equal((await send('GET', `/registry-projects/${registryProjectId}`)).status, 404)
    assert.sameMembers(
      changes.map(({ kind, type }) => `${kind} ${type}`),
      ['analysis updated', 'node updated', 'registryProject deleted', 'registry deleted']
    )
  })

  test('registries can be deleted while nodes are created and deleted', async ({ assert }) => {
    const realmId = await newRealm()
    for (let round = 0; round < 5; round++) {
      const { id } = await newRegistry()
      const nodes = await Promise.all(
        Array.from({ length: 8 }, () =>
          send('POST', '/nodes', { name: uniqueName(), realmId, registryId: id })
        )
      )
      const answers = await Promise.all([
        send('DELETE', `/registries/${id}`),
        ...nodes.slice(0, 4).map(({ body }) => send('DELETE', `/nodes/${body.data.id}`)),
        ...nodes
          .slice(4)
          .map(({ body }) => send('POST', `/nodes/${body.data.id}`, { registryId: null })),
      ])
      assert.deepEqual([...new Set(answers.map(({ status }) => status))], [202])
    }
  })

  const SECRET = 'nobody-sees-this'

  test('S1: secrets are hidden at any depth without the permission', async ({ assert }) => {
    const made = await newRegistry({ accountName: 'account', accountSecret: SECRET })
    const own = await sampleRecord('core', registryProject, {
      registryId: made.id,
      accountSecret: SECRET,
    })
    const connected = await sampleRecord('core', node, {
      registryId: made.id,
      registryProjectId: own.id,
    })
    const stranger = identity({ permissions: ['registry_project_manage'] })
    const manager = identity({ permissions: ['registry_manage'] })
    const paths = [
      `/registries/${made.id}?fields=registry.accountSecret`,
      `/registries/${made.id}?fields=%2BaccountSecret`,
      `/registries?filter[id]=${made.id}&fields=registry.accountSecret`,
      `/registry-projects/${own.id}?fields=%2BaccountSecret`,
      `/registry-projects/${own.id}?include=registry&fields=registry.accountSecret`,
      `/nodes/${connected.id}?include=registry&fields=registry.accountSecret`,
      `/nodes/${connected.id}?include=registry&fields[registry]=%2BaccountSecret`,
      `/nodes/${connected.id}?include=registryProject&fields[registryProject]=%2BaccountSecret`,
      `/nodes/${connected.id}?include=registryProject.registry&fields[registryProject.registry]=%2BaccountSecret`,
    ]
    for (const path of paths) {
      const hidden = await send('GET', path, undefined, stranger)
      assert.equal(hidden.status, 200)
      assert.notInclude(JSON.stringify(hidden.body.data), SECRET, path)
      const shown = await send('GET', path, undefined, manager)
      assert.include(JSON.stringify(shown.body.data), SECRET, path)
    }
  })

  test('S9: neither events nor responses to writes contain a secret', async ({
    assert,
    cleanup,
  }) => {
    const changes: RecordChange[] = []
    cleanup(useEventSink({ record: async (_, change) => void changes.push(change) }))
    const body = { ...registryBody(), accountName: 'account', accountSecret: SECRET }
    const made = await send('POST', '/registries', body)
    const path = `/registries/${made.body.data.id}`
    const updated = await send('POST', path, { accountSecret: `${SECRET}-2` })
    const removed = await send('DELETE', path)
    assert.lengthOf(changes, 3)
    assert.notInclude(JSON.stringify([made.body, updated.body, removed.body, changes]), SECRET)
    assert.isTrue(changes[1]!.replacesSecrets)
  })
})

test.group('The registry of the environment', () => {
  const harbor = (accountSecret: string) => ({
    host: 'harbor.example:8443',
    accountName: 'admin',
    accountSecret,
  })
  const stored = async () =>
    (await corePool().query(`select * from registries where name = 'default'`)).rows[0]
  const secret = async () => unseal('registry account', (await stored()).account_secret)

  test('the registry is inserted once, and gets the configured account', async ({
    assert,
    cleanup,
  }) => {
    await corePool().query(`delete from registries where name = 'default'`)
    cleanup(async () => {
      await corePool().query(`delete from registries where name = 'default'`)
    })
    const environment = await app.container.make(EnvironmentRegistry)
    assert.isUndefined(await environment.upsert(undefined))
    const id = await environment.upsert(harbor('one:@secret'))
    assert.containsSubset(await stored(), {
      id,
      host: 'harbor.example:8443',
      account_name: 'admin',
    })
    assert.equal(await secret(), 'one:@secret')
    assert.isUndefined(await environment.upsert(harbor('one:@secret')))
    assert.equal(await environment.upsert({ ...harbor('two'), host: 'elsewhere.example' }), id)
    const now = await stored()
    assert.equal(await secret(), 'two')
    assert.equal(now.host, 'harbor.example:8443')
  })
})

test.group('Credentials of nodes in registries', () => {
  test('the credentials are accessible to the client of the node and to managers of registries in master', async ({
    assert,
  }) => {
    const made = await newRegistry()
    const realmId = await newRealm()
    const connected = (
      await send('POST', '/nodes', { name: uniqueName(), realmId, registryId: made.id })
    ).body.data
    await corePool().query(
      `update registry_projects set account_name = 'robot$x', account_secret = $2 where id = $1`,
      [connected.registryProjectId, seal('registry project account', 'the-secret')]
    )
    const path = `/nodes/${connected.id}/registry/credentials`
    const own = identity({ kind: 'client', id: connected.clientId, realmId, permissions: [] })
    const manager = identity({ permissions: ['registry_manage'] })
    for (const by of [own, manager]) {
      const { status, body } = await send('GET', path, undefined, by)
      assert.equal(status, 200)
      assert.deepEqual(body, {
        host: made.host,
        externalName: connected.externalName,
        accountName: 'robot$x',
        accountSecret: 'the-secret',
      })
    }
    const alike = identity({ kind: 'user', id: connected.clientId, realmId, permissions: [] })
    const elsewhere = member(await newRealm(), ['registry_manage'])
    const others = [member(realmId, ['node_create']), member(REALMS.master, []), alike, elsewhere]
    for (const by of others) {
      assert.equal((await send('GET', path, undefined, by)).status, 403)
    }
    assert.equal((await send('GET', `/nodes/${clock.uuid()}/registry/credentials`)).status, 404)
    await send('POST', `/nodes/${connected.id}`, { registryId: null })
    assert.equal((await send('GET', path)).status, 400)
    assert.equal((await send('GET', path, undefined, member(realmId, []))).status, 403)
  })
})

test.group('Registries and nodes', () => {
  test('L8: a node that cannot be created leaves nothing of its registry project', async ({
    assert,
  }) => {
    const made = await newRegistry()
    const realmId = await newRealm()
    const name = uniqueName()
    await send('POST', '/nodes', { name, realmId })
    const { status } = await send('POST', '/nodes', { name, realmId, registryId: made.id })
    assert.equal(status, 409)
    const { rows } = await corePool().query(
      `select 1 from registry_projects where registry_id = $1
       union all select 1 from registry_links where registry_id = $1
       union all select 1 from tasks where data->>'registryId' = $1::text
       union all select 1 from outbox where content->'command'->'data'->>'registryId' = $1::text`,
      [made.id]
    )
    assert.isEmpty(rows)
  })
})
