import { test } from '@japa/runner'

import type { Attributes } from '#records/row'
import { clock } from '#kernel/clock'
import { at } from '#tests/helpers/application'

import { call, Scene, type Answer } from './analysis_scene.js'

/** Omitted from the body. */
const MISSING = Symbol('missing')
const OK = 'ok'
/** A well-formed id of no record. */
const DANGLING = 'entity_relation_invalid'

type Case = readonly [value: unknown, expected: string]
type Table = Readonly<Record<string, readonly Case[]>>

const text = (length: number) => 'a'.repeat(length)
const UNKNOWN = clock.uuid()

/** Values that are invalid for every reference. */
const NO_REFERENCE: readonly Case[] = [
  ['x', 'uuid'],
  ['', 'uuid'],
  [1, 'value_invalid'],
  [{}, 'value_invalid'],
]

const needed = (extra: readonly Case[] = []): readonly Case[] => [
  [MISSING, 'required'],
  [null, 'value_invalid'],
  ...NO_REFERENCE,
  ...extra,
]

const mayBeNull = (...extra: Case[]): readonly Case[] => [[MISSING, OK], [null, OK], ...extra]

const shortText = (min: number, max: number): readonly Case[] =>
  mayBeNull(
    [text(min), OK],
    [text(max), OK],
    [text(min - 1), 'min_length'],
    [text(max + 1), 'max_length'],
    ['', 'min_length'],
    [1, 'value_invalid'],
    [true, 'value_invalid']
  )

const name: readonly Case[] = [
  [MISSING, OK],
  ['a-name_1.0', OK],
  ['  Upper-Case ', OK],
  [text(3), OK],
  [text(128), OK],
  ['ab', 'value_invalid'],
  [text(129), 'value_invalid'],
  ['two words', 'value_invalid'],
  ['ünïcode', 'value_invalid'],
  [1, 'value_invalid'],
  [[], 'value_invalid'],
]

const imageCommandArguments: readonly Case[] = mayBeNull(
  [[], OK],
  [[{ value: 'ab' }, { value: text(512), position: 'before' }], OK],
  [[{ value: 'ab', position: 'after' }], OK],
  [[{ value: 'ab', position: null, more: 1 }], OK],
  [{}, 'value_invalid'],
  ['ab', 'value_invalid'],
  [[1], 'value_invalid'],
  [[{}], 'required'],
  [[{ value: null }], 'value_invalid'],
  [[{ value: 'a' }], 'min_length'],
  [[{ value: text(513) }], 'max_length'],
  [[{ value: 1 }], 'value_invalid'],
  [[{ value: 'a\u0000b' }], 'pattern'],
  [[{ value: 'ab', position: 'middle' }], 'one_of_failed']
)

const analysisAttributes: Table = {
  displayName: shortText(3, 256),
  description: shortText(5, 4096),
  masterImageId: mayBeNull([UNKNOWN, DANGLING], ...NO_REFERENCE),
  registryId: mayBeNull([UNKNOWN, DANGLING], ...NO_REFERENCE),
  imageCommandArguments,
}

const PROCESS_STATUS: readonly Case[] = mayBeNull(
  ...['starting', 'started', 'stopping', 'stopped', 'executing', 'executed', 'failed'].map(
    (status): Case => [status, OK]
  ),
  ['finished', 'one_of_failed'],
  ['', 'one_of_failed'],
  [1, 'one_of_failed']
)

/** Sends bodies with one invalid attribute, and expects the issue that names it. */
async function tryAll(
  table: Table,
  { base, send }: { base: () => Promise<Attributes>; send: (body: Attributes) => Promise<Answer> }
): Promise<string[]> {
  const surprises: string[] = []
  for (const [attribute, cases] of Object.entries(table)) {
    for (const [value, expected] of cases) {
      const body = { ...(await base()), [attribute]: value }
      if (value === MISSING) {
        delete body[attribute]
      }
      const answer = await send(body)
      if (!isExpected(answer, attribute, expected)) {
        const { status, body: content } = answer
        const sent = value === MISSING ? 'missing' : JSON.stringify(value).slice(0, 40)
        const seen = `${status} ${JSON.stringify(content).slice(0, 300)}`
        surprises.push(`${attribute} ${sent} should be ${expected} and is ${seen}`)
      }
    }
  }
  return surprises
}

function isExpected({ status, body }: Answer, attribute: string, expected: string): boolean {
  if (expected === OK) {
    return status >= 200 && status < 300
  }
  const found = (body.issues ?? []).filter(({ path }: { path: string[] }) => path[0] === attribute)
  return expected === DANGLING
    ? status === 400 && body.code === DANGLING && found.length === 1
    : status === 400 &&
        body.code === 'bad_request' &&
        body.issues.length === 1 &&
        found[0]?.code === expected
}

test.group('Bodies of analyses and what belongs to them', (group) => {
  let scene: Scene
  let analysis: Attributes

  const post = (path: string) => (body: Attributes) => call(scene.admin(), 'POST', path, body)

  group.each.setup(async () => {
    scene = await Scene.set()
    analysis = await scene.analysis()
  })

  test('a new analysis', async ({ assert }) => {
    const surprises = await tryAll(
      {
        projectId: needed([[UNKNOWN, DANGLING]]),
        name: [...name, [null, OK], ['', OK], ['  ', OK]],
        ...analysisAttributes,
      },
      { base: async () => ({ projectId: scene.project.id }), send: post('/analyses') }
    )
    assert.deepEqual(surprises, [])
  })

  test('a change of an analysis', async ({ assert }) => {
    const surprises = await tryAll(
      {
        name: [...name, [null, 'value_invalid'], ['', 'value_invalid']],
        ...analysisAttributes,
        projectId: [[UNKNOWN, OK]],
        realmId: [['x', OK]],
        clientId: [['x', OK]],
        buildStatus: [['executed', OK]],
      },
      { base: async () => ({}), send: post(`/analyses/${analysis.id}`) }
    )
    assert.deepEqual(surprises, [])
    const { projectId, realmId, clientId, buildStatus } = await scene.read(analysis)
    assert.deepEqual(
      [projectId, realmId, clientId, buildStatus],
      [scene.project.id, analysis.realmId, analysis.clientId, null]
    )
  })

  test('a node of an analysis', async ({ assert }) => {
    const surprises = await tryAll(
      {
        analysisId: needed([[UNKNOWN, DANGLING]]),
        nodeId: needed([[UNKNOWN, DANGLING]]),
        approvalStatus: [['bogus', OK]],
        executionStatus: [['bogus', OK]],
        executionProgress: [['bogus', OK]],
        comment: [[1, OK]],
      },
      {
        base: async () => ({ analysisId: analysis.id, nodeId: (await scene.member()).id }),
        send: post('/analysis-nodes'),
      }
    )
    assert.deepEqual(surprises, [])
  })

  test('the attributes that a node reports', async ({ assert }) => {
    const { id } = await scene.assigned(analysis)
    const surprises = await tryAll(
      {
        approvalStatus: mayBeNull(
          ['approved', OK],
          ['rejected', OK],
          ['pending', 'one_of_failed'],
          ['', 'one_of_failed'],
          [true, 'one_of_failed']
        ),
        comment: mayBeNull(['', OK], [text(20_000), OK], [1, 'value_invalid']),
        executionStatus: PROCESS_STATUS,
        executionProgress: mayBeNull(
          [0, OK],
          [100, OK],
          [-1, 'min_value'],
          [101, 'max_value'],
          [1.5, 'value_invalid'],
          ['5', 'value_invalid'],
          [true, 'value_invalid']
        ),
        analysisId: [['x', OK]],
        nodeId: [['x', OK]],
      },
      { base: async () => ({}), send: post(`/analysis-nodes/${id}`) }
    )
    assert.deepEqual(surprises, [])
  })

  test('a bucket of an analysis', async ({ assert }) => {
    const surprises = await tryAll(
      {
        analysisId: needed([[UNKNOWN, DANGLING]]),
        bucketId: needed([[UNKNOWN, OK]]),
        type: [
          [MISSING, 'required'],
          [null, 'value_invalid'],
          ['RESULT', OK],
          ['TEMP', OK],
          ['code', 'one_of_failed'],
          ['', 'one_of_failed'],
          [1, 'one_of_failed'],
        ],
      },
      {
        base: async () => {
          const { id } = await scene.analysis()
          return { analysisId: id, bucketId: clock.uuid(), type: 'CODE' }
        },
        send: post('/analysis-buckets'),
      }
    )
    assert.deepEqual(surprises, [])
  })

  test('a file of an analysis', async ({ assert }) => {
    const bucket = await scene.bucket(analysis)
    const root: readonly Case[] = [
      [MISSING, OK],
      [true, OK],
      [false, OK],
      [null, 'value_invalid'],
      ['true', 'value_invalid'],
      [1, 'value_invalid'],
    ]
    const path: readonly Case[] = [
      [text(256), OK],
      ['src/..deep/a b.py', OK],
      ['a\\b.py', OK],
      ['src/..', 'pattern'],
      ['../../etc/passwd', 'pattern'],
      ['src/../../up.py', 'pattern'],
      ['src\\..\\up.py', 'pattern'],
      ['/etc/passwd', 'pattern'],
      ['src//main.py', 'pattern'],
      ['src/', 'pattern'],
      ['src/.', 'pattern'],
      ['', 'pattern'],
      ['main\u0000.py', 'pattern'],
      ['main\n.py', 'pattern'],
      [null, 'value_invalid'],
      [text(257), 'max_length'],
      [1, 'value_invalid'],
    ]
    const created = await tryAll(
      {
        analysisBucketId: needed([[UNKNOWN, DANGLING]]),
        bucketId: needed([[UNKNOWN, 'value_invalid']]),
        bucketFileId: needed([[UNKNOWN, OK]]),
        path: [...path, [MISSING, 'required']],
        root,
      },
      {
        base: async () => ({
          analysisBucketId: bucket.id,
          bucketId: bucket.bucketId,
          bucketFileId: clock.uuid(),
          path: clock.uuid(),
        }),
        send: post('/analysis-bucket-files'),
      }
    )
    const other = await scene.file(await scene.bucket(analysis, 'TEMP'))
    const updated = await tryAll(
      { path: [...path, [MISSING, OK]], root, bucketId: [['x', OK]], bucketFileId: [['x', OK]] },
      { base: async () => ({}), send: post(`/analysis-bucket-files/${other.id}`) }
    )
    assert.deepEqual([...created, ...updated], [])
  })

  test('a command to images', async ({ assert }) => {
    const image = await scene.image()
    const surprises = await tryAll(
      {
        command: [
          [MISSING, 'required'],
          [null, 'value_invalid'],
          ['sync', OK],
          ['build', OK],
          ['', 'one_of_failed'],
          ['BUILD', 'one_of_failed'],
          [1, 'one_of_failed'],
        ],
        id: [
          [MISSING, 'required'],
          [null, 'required'],
          ['', 'min_length'],
          [1, 'value_invalid'],
        ],
      },
      {
        base: async () => ({ command: 'build', id: image.id }),
        send: post('/master-images/command'),
      }
    )
    assert.deepEqual(surprises, [])
  })

  test('a secret, and a permission', async ({ assert }) => {
    const secrets = await tryAll(
      {
        secret: mayBeNull(
          ['q7-Lm2xZ', OK],
          [text(256), OK],
          [text(7), 'min_length'],
          [text(257), 'max_length'],
          [1, 'value_invalid']
        ),
      },
      { base: async () => ({}), send: post(`/analyses/${analysis.id}/client/credentials`) }
    )
    const permissions = await tryAll(
      {
        permissionId: [
          [MISSING, 'required'],
          [null, 'value_invalid'],
          ['', 'min_length'],
          [text(129), 'max_length'],
          [1, 'value_invalid'],
          ['analysis_self_storage_use', OK],
        ],
      },
      { base: async () => ({}), send: post(`/analyses/${analysis.id}/client/permissions`) }
    )
    assert.deepEqual([...secrets, ...permissions], [])
  })

  test('C4: an id or a filter that cannot be one finds nothing', async ({ assert }) => {
    for (const collection of [
      '/analyses',
      '/analysis-nodes',
      '/analysis-buckets',
      '/analysis-bucket-files',
      '/analysis-node-events',
      '/master-images',
      '/master-image-groups',
    ]) {
      assert.equal((await call(scene.admin(), 'GET', `${collection}/nothing`)).status, 404)
      assert.equal((await call(scene.admin(), 'GET', `${collection}/1`)).status, 404)
    }
    for (const query of ['/analyses?filter[projectId]=x', '/analysis-nodes?filter[nodeId]=x']) {
      const { status, body } = await call(scene.admin(), 'GET', query)
      assert.deepEqual([status, body.meta.total], [200, 0])
    }
  })

  test('a missing body is an empty one', async ({ assert }) => {
    for (const content of ['null', '"text"', '[]', '5']) {
      const { headers } = scene.admin()
      const response = await fetch(at('core', '/analyses'), {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: content,
      })
      assert.equal(response.status, 400, content)
    }
  })
})
