import { test } from '@japa/runner'

import { masterImage } from '#core/master_images/master_image'
import { node } from '#core/nodes/node'
import { projectNode } from '#core/project_nodes/project_node'
import { project } from '#core/projects/project'
import { registry } from '#core/registries/registry'
import { databaseUrl } from '#database/addresses'
import { pools } from '#database/pools'
import type { Attributes } from '#records/row'
import { clock } from '#kernel/clock'
import { sampleRecord } from '#tests/helpers/sample_records'

import { call, member, newRealm, uniqueName } from './node_scene.js'

const PERMISSIONS = [
  'project_create',
  'project_update',
  'project_delete',
  'project_approve',
  'node_create',
  'node_update',
  'node_delete',
]

/** Marks an attribute that is not sent. */
const MISSING = Symbol('missing')

const text = (length: number) => 'a'.repeat(length)
const shown = (value: unknown) => {
  const written = value === MISSING ? 'missing' : JSON.stringify(value)
  return written.length > 40 ? `${written.slice(0, 20)}… (${written.length - 2})` : written
}

/** Valid values of an attribute with their stored values, and invalid ones with the code of their issue. */
interface Rule {
  readonly key: string
  readonly good: readonly (readonly [sent: unknown, kept?: unknown])[]
  readonly bad?: readonly (readonly [sent: unknown, code: string])[]
  /** Values that are ignored. */
  readonly dropped?: readonly unknown[]
}

const NAME_FAULTS = [
  ['ab', 'value_invalid'],
  [text(129), 'value_invalid'],
  ['two words', 'value_invalid'],
  [5, 'value_invalid'],
] as const

const DISPLAY_NAME: Rule = {
  key: 'displayName',
  good: [['abc'], [text(256)], [null], [MISSING]],
  bad: [
    ['ab', 'min_length'],
    ['', 'min_length'],
    [text(257), 'max_length'],
    [5, 'value_invalid'],
  ],
}

const DESCRIPTION: Rule = {
  key: 'description',
  good: [['abcde'], [text(4096)], [null], [MISSING]],
  bad: [
    ['abcd', 'min_length'],
    [text(4097), 'max_length'],
    [['abcde'], 'value_invalid'],
  ],
}

const idFaults = [
  ['abc', 'uuid'],
  ['', 'uuid'],
  [5, 'value_invalid'],
] as const

const OPTIONAL_ID = { good: [[null], [MISSING]], bad: idFaults } as const

const PROJECT: Rule[] = [
  DISPLAY_NAME,
  DESCRIPTION,
  { key: 'masterImageId', ...OPTIONAL_ID },
  { key: 'realmId', good: [], dropped: ['abc', clock.uuid()] },
  { key: 'nodes', good: [], dropped: [7] },
  { key: 'analyses', good: [], dropped: [7] },
  { key: 'userId', good: [], dropped: [clock.uuid()] },
]

const NODE: Rule[] = [
  {
    key: 'type',
    good: [['default'], ['aggregator'], [MISSING]],
    bad: [
      ['other', 'one_of_failed'],
      ['', 'one_of_failed'],
      [5, 'one_of_failed'],
      [null, 'value_invalid'],
    ],
  },
  {
    key: 'hidden',
    good: [[true], [false], [MISSING]],
    bad: [
      ['true', 'value_invalid'],
      [1, 'value_invalid'],
      [null, 'value_invalid'],
    ],
  },
  {
    key: 'publicKey',
    good: [
      ['abcdef0123'],
      ['a key', Buffer.from('a key').toString('hex')],
      ['ß'.repeat(4096), Buffer.from('ß'.repeat(4096)).toString('hex')],
      [null],
      [MISSING],
    ],
    bad: [
      ['abcd', 'min_length'],
      [text(4097), 'max_length'],
      [5, 'value_invalid'],
    ],
  },
  {
    key: 'externalName',
    good: [['a'], ['a-b_c9'], [null], [MISSING]],
    bad: [
      ['', 'min_length'],
      [text(65), 'max_length'],
      ['Upper', 'pattern'],
      ['with space', 'pattern'],
      [5, 'value_invalid'],
    ],
  },
  { key: 'registryId', ...OPTIONAL_ID },
  { key: 'clientId', good: [], dropped: [clock.uuid(), 'abc', null] },
  { key: 'online', good: [], dropped: [true] },
  { key: 'robotId', good: [], dropped: [clock.uuid()] },
  { key: 'registryProjectId', good: [], dropped: [clock.uuid()] },
]

const NODE_NAME_FAULTS = [
  ['ab', 'min_length'],
  [text(129), 'max_length'],
  [5, 'value_invalid'],
  [null, 'value_invalid'],
] as const

const TABLE: Record<string, Rule[]> = {
  'create project': [
    {
      key: 'name',
      good: [['abc'], [text(128)], ['Some-NAME_1.0', 'some-name_1.0'], [MISSING], [null], ['']],
      bad: NAME_FAULTS,
    },
    ...PROJECT,
  ],
  'update project': [
    {
      key: 'name',
      good: [['xyz'], ['z'.repeat(128)], [MISSING]],
      bad: [...NAME_FAULTS, [null, 'value_invalid'], ['', 'value_invalid']],
    },
    ...PROJECT,
  ],
  'create node': [
    {
      key: 'name',
      good: [['abc'], [text(128)], ['Any Thing!']],
      bad: [...NODE_NAME_FAULTS, [MISSING, 'required']],
    },
    { key: 'realmId', good: [[null], [MISSING]], bad: idFaults },
    ...NODE,
  ],
  'update node': [
    { key: 'name', good: [['xyz'], ['z'.repeat(128)], [MISSING]], bad: NODE_NAME_FAULTS },
    { key: 'realmId', good: [], dropped: [clock.uuid(), 'abc'] },
    ...NODE,
  ],
  'create projectNode': [
    ...['projectId', 'nodeId'].map((key) => ({
      key,
      good: [],
      bad: [...idFaults, [MISSING, 'required'], [null, 'value_invalid']] as const,
    })),
    { key: 'approvalStatus', good: [], dropped: ['approved', 'rejected', 'maybe'] },
    { key: 'comment', good: [], dropped: ['of course', 5] },
  ],
  'update projectNode': [
    {
      key: 'approvalStatus',
      good: [['approved'], ['rejected'], [null], [MISSING]],
      bad: [
        ['maybe', 'one_of_failed'],
        ['', 'one_of_failed'],
        [5, 'one_of_failed'],
      ],
    },
    {
      key: 'comment',
      good: [['yes'], [text(4096)], [null], [MISSING]],
      bad: [
        ['no', 'min_length'],
        [text(4097), 'max_length'],
        [5, 'value_invalid'],
      ],
    },
    { key: 'projectId', good: [], dropped: [clock.uuid(), 'abc'] },
    { key: 'nodeId', good: [], dropped: [clock.uuid(), 'abc'] },
  ],
  'rotate credentials': [
    {
      key: 'secret',
      good: [['a-secret'], [text(256)], [MISSING], [null]],
      bad: [
        ['ab', 'min_length'],
        [text(257), 'max_length'],
        [5, 'value_invalid'],
      ],
    },
    {
      key: 'name',
      good: [[MISSING], [null]],
      bad: [
        ['ab', 'min_length'],
        [text(129), 'max_length'],
        [{ a: 1 }, 'value_invalid'],
      ],
    },
    {
      key: 'displayName',
      good: [['A node'], [MISSING], [null]],
      bad: [
        ['', 'min_length'],
        [text(257), 'max_length'],
        [true, 'value_invalid'],
      ],
    },
    { key: 'display_name', good: [], dropped: ['of old'] },
    { key: 'id', good: [], dropped: [clock.uuid()] },
  ],
}

let realmId: string
let headers: Record<string, string>

/** The path of an operation, and its body without the tested attribute. */
async function target(
  operation: string
): Promise<{ path: string; body: Attributes; status: number }> {
  const own = { realmId }
  switch (operation) {
    case 'create project':
      return { path: '/projects', body: {}, status: 201 }
    case 'update project':
      return updating('/projects', await sampleRecord('core', project, own))
    case 'create node':
      return { path: '/nodes', body: { name: uniqueName() }, status: 201 }
    case 'update node':
      return updating('/nodes', await unconnectedNode())
    case 'create projectNode': {
      const projectId = (await sampleRecord('core', project, own)).id
      return {
        path: '/project-nodes',
        body: { projectId, nodeId: (await sampleRecord('core', node, own)).id },
        status: 201,
      }
    }
    case 'update projectNode':
      return updating(
        '/project-nodes',
        await sampleRecord('core', projectNode, {
          nodeRealmId: realmId,
          projectRealmId: realmId,
        })
      )
    default: {
      const { body } = await call('POST', '/nodes', { headers, body: { name: uniqueName() } })
      return { path: `/nodes/${body.data.id}/client/credentials`, body: {}, status: 200 }
    }
  }
}

const updating = (collection: string, { id }: Attributes) => ({
  path: `${collection}/${id}`,
  body: {},
  status: 202,
})

/** A node that is not connected to a registry. */
async function unconnectedNode(): Promise<Attributes> {
  const { body } = await call('POST', '/nodes', { headers, body: { name: uniqueName() } })
  return body.data
}

async function attempt(operation: string, key: string, value: unknown) {
  const { path, body, status } = await target(operation)
  const others = Object.entries(body).filter(([name]) => name !== key)
  const sent = Object.fromEntries(value === MISSING ? others : [...others, [key, value]])
  return { expected: status, answer: await call('POST', path, { headers, body: sent }) }
}

test.group('Bodies of projects, nodes and their credentials', (group) => {
  group.setup(async () => {
    realmId = await newRealm()
    headers = member(realmId, PERMISSIONS).headers
    await Promise.all([sampleRecord('core', registry), sampleRecord('core', registry)])
    return async () => {
      const pool = pools.for(databaseUrl('core'))
      await pool.query('delete from projects where realm_id = $1', [realmId])
    }
  })

  for (const [operation, rules] of Object.entries(TABLE)) {
    for (const { key, good, bad = [], dropped = [] } of rules) {
      for (const [value, kept = value] of good) {
        test(`${operation}: ${key} may be ${shown(value)}`, async ({ assert }) => {
          const { answer, expected } = await attempt(operation, key, value)
          assert.equal(answer.status, expected, JSON.stringify(answer.body))
          const record = answer.body.data ?? answer.body
          if (kept !== MISSING && typeof kept === 'string' && kept !== '') {
            assert.equal(record[key], kept)
          }
        })
      }
      for (const [value, code] of bad) {
        test(`${operation}: ${key} may not be ${shown(value)}`, async ({ assert }) => {
          const { answer } = await attempt(operation, key, value)
          assert.equal(answer.status, 400)
          assert.equal(answer.body.code, 'bad_request')
          assert.deepEqual(
            answer.body.issues.map((issue: any) => [issue.code, issue.path]),
            [[code, [key]]]
          )
          assert.equal(answer.body.issues[0].type, 'item')
          assert.isObject(answer.body.issues[0].meta)
        })
      }
      for (const value of dropped) {
        test(`${operation}: ${key} is dropped, be it ${shown(value)}`, async ({ assert }) => {
          const { answer, expected } = await attempt(operation, key, value)
          assert.equal(answer.status, expected, JSON.stringify(answer.body))
          assert.include(answer.headers.get('x-dropped-keys'), `body.${key}`)
          assert.notEqual((answer.body.data ?? answer.body)[key], value)
        })
      }
    }

    test(`${operation}: each attribute that is wrong is one issue`, async ({ assert }) => {
      const wrong = rules.filter(({ bad }) => bad)
      const { path } = await target(operation)
      const body = Object.fromEntries(
        wrong.map(({ key, bad }) => [key, bad!.findLast(([value]) => value !== MISSING)![0]])
      )
      const answer = await call('POST', path, {
        headers,
        body,
      })
      assert.equal(answer.status, 400)
      assert.sameDeepMembers(
        answer.body.issues.map((issue: any) => issue.path),
        wrong.map(({ key }) => [key])
      )
    })
  }

  test('a body that is not an object is rejected', async ({ assert }) => {
    assert.equal((await call('POST', '/projects', { headers, body: [] })).status, 400)
    const { status, body } = await call('POST', '/nodes', { headers, body: [] })
    assert.equal(status, 400)
    assert.deepEqual(body.issues[0].path, [])
  })
})

test.group('Records that bodies name', (group) => {
  group.setup(async () => {
    realmId = await newRealm()
    headers = member(realmId, PERMISSIONS).headers
  })

  test('existing records are referred to', async ({ assert }) => {
    const { id: masterImageId } = await sampleRecord('core', masterImage)
    const made = await call('POST', '/projects', { headers, body: { masterImageId } })
    assert.equal(made.body.data.masterImageId, masterImageId)
    const path = `/projects/${made.body.data.id}`
    const cleared = await call('POST', path, { headers, body: { masterImageId: null } })
    assert.isNull(cleared.body.data.masterImageId)
    const set = await call('POST', path, { headers, body: { masterImageId } })
    assert.equal(set.body.data.masterImageId, masterImageId)
  })

  for (const [operation, key] of [
    ['create project', 'masterImageId'],
    ['update project', 'masterImageId'],
    ['create node', 'registryId'],
    ['update node', 'registryId'],
    ['create projectNode', 'projectId'],
    ['create projectNode', 'nodeId'],
  ] as const) {
    test(`C5, C8: ${operation} with a ${key} of a missing record is rejected`, async ({
      assert,
    }) => {
      const { answer } = await attempt(operation, key, clock.uuid())
      assert.equal(answer.status, 400)
      assert.equal(answer.body.code, 'entity_relation_invalid')
      assert.deepEqual(answer.body.issues[0].path, [key])
    })
  }

  test('C8: changing the type of a node does not hide that its registry is missing', async ({
    assert,
  }) => {
    const { path } = await target('update node')
    const body = { type: 'aggregator', registryId: clock.uuid() }
    const answer = await call('POST', path, { headers, body })
    assert.equal(answer.status, 400)
    assert.equal(answer.body.code, 'entity_relation_invalid')
  })
})
