import { test } from '@japa/runner'

import type { Attributes } from '#records/row'
import { clock } from '#kernel/clock'

import { call, person, Scene, type Answer, type Person } from './analysis_scene.js'

/** All callers of an analysis, by their relation to it and to its node. */
const ACTORS = [
  'researcher',
  'researcher without permissions',
  'steward',
  'steward without permissions',
  'stranger',
  'admin',
  'admin without permissions',
  'client of the approved node',
  'client of a node that was not approved',
  'client of the analysis',
  'robot of the analysis realm',
] as const
type ActorName = (typeof ACTORS)[number]

type Cast = Record<ActorName, Person>

/** The permitted callers; all others get 403. */
interface Guard {
  readonly title: string
  readonly admits: readonly ActorName[]
  readonly send: (by: Person, stage: Stage) => Promise<Answer>
}

interface Stage {
  readonly scene: Scene
  readonly analysis: Attributes
  readonly approved: Attributes
  readonly bucket: Attributes
  readonly file: Attributes
}

const OF_THE_REALM = ['researcher', 'admin', 'robot of the analysis realm'] as const
const OF_THE_NODE = ['steward', 'admin'] as const

const fileBody = ({ bucket }: Stage) => ({
  analysisBucketId: bucket.id,
  bucketId: bucket.bucketId,
  bucketFileId: clock.uuid(),
  path: clock.uuid(),
})

const GUARDS: readonly Guard[] = [
  {
    title: 'creating an analysis',
    admits: ['researcher', 'admin', 'steward'],
    send: (by, { scene }) => call(by, 'POST', '/analyses', { projectId: scene.project.id }),
  },
  {
    title: 'changing an analysis',
    admits: OF_THE_REALM,
    send: (by, { analysis }) => call(by, 'POST', `/analyses/${analysis.id}`, { name: 'new-name' }),
  },
  {
    title: 'deleting an analysis',
    admits: OF_THE_REALM,
    send: async (by, { scene }) =>
      call(by, 'DELETE', `/analyses/${(await scene.analysis({}, scene.admin())).id}`),
  },
  {
    title: 'reading credentials',
    admits: [...OF_THE_REALM, 'client of the approved node'],
    send: (by, { analysis }) => call(by, 'GET', `/analyses/${analysis.id}/client/credentials`),
  },
  {
    title: 'changing credentials',
    admits: [...OF_THE_REALM, 'client of the approved node'],
    send: (by, { analysis }) => call(by, 'POST', `/analyses/${analysis.id}/client/credentials`, {}),
  },
  {
    title: 'listing permissions',
    admits: [...OF_THE_REALM, 'client of the approved node'],
    send: (by, { analysis }) => call(by, 'GET', `/analyses/${analysis.id}/client/permissions`),
  },
  {
    title: 'giving permissions',
    admits: OF_THE_REALM,
    send: (by, { analysis }) =>
      call(by, 'POST', `/analyses/${analysis.id}/client/permissions`, {
        permissionId: 'analysis_self_storage_use',
      }),
  },
  {
    title: 'assigning a node',
    admits: OF_THE_REALM,
    send: async (by, { scene, analysis }) =>
      call(by, 'POST', '/analysis-nodes', {
        analysisId: analysis.id,
        nodeId: (await scene.member()).id,
      }),
  },
  {
    title: 'deciding for a node',
    admits: OF_THE_NODE,
    send: (by, { approved }) =>
      call(by, 'POST', `/analysis-nodes/${approved.id}`, { approvalStatus: 'approved' }),
  },
  {
    title: 'commenting a decision',
    admits: OF_THE_NODE,
    send: (by, { approved }) =>
      call(by, 'POST', `/analysis-nodes/${approved.id}`, { comment: 'x' }),
  },
  {
    title: 'telling of an execution',
    admits: [...OF_THE_NODE, 'client of the approved node'],
    send: (by, { approved }) =>
      call(by, 'POST', `/analysis-nodes/${approved.id}`, { executionStatus: 'started' }),
  },
  {
    title: 'telling of progress',
    admits: [...OF_THE_NODE, 'client of the approved node'],
    send: (by, { approved }) =>
      call(by, 'POST', `/analysis-nodes/${approved.id}`, { executionProgress: 5 }),
  },
  {
    title: 'taking a node out',
    admits: [...OF_THE_REALM, 'steward'],
    send: async (by, { scene, analysis }) =>
      call(by, 'DELETE', `/analysis-nodes/${(await scene.assigned(analysis)).id}`),
  },
  {
    title: 'entering a bucket',
    admits: OF_THE_REALM,
    send: async (by, { scene }) =>
      call(by, 'POST', '/analysis-buckets', {
        analysisId: (await scene.analysis({}, scene.admin())).id,
        bucketId: clock.uuid(),
        type: 'CODE',
      }),
  },
  {
    title: 'changing a bucket',
    admits: OF_THE_REALM,
    send: (by, { bucket }) => call(by, 'POST', `/analysis-buckets/${bucket.id}`, {}),
  },
  {
    title: 'removing a bucket',
    admits: OF_THE_REALM,
    send: async (by, { scene }) => {
      const bucket = await scene.bucket(await scene.analysis({}, scene.admin()))
      return call(by, 'DELETE', `/analysis-buckets/${bucket.id}`)
    },
  },
  {
    title: 'entering a file',
    admits: [...OF_THE_REALM, 'client of the approved node'],
    send: (by, stage) => call(by, 'POST', '/analysis-bucket-files', fileBody(stage)),
  },
  {
    title: 'changing a file',
    admits: [...OF_THE_REALM, 'client of the approved node'],
    send: (by, { file }) => call(by, 'POST', `/analysis-bucket-files/${file.id}`, { root: true }),
  },
  {
    title: 'removing a file',
    admits: [...OF_THE_REALM, 'client of the approved node'],
    send: async (by, { scene, bucket }) =>
      call(by, 'DELETE', `/analysis-bucket-files/${(await scene.file(bucket)).id}`),
  },
  {
    title: 'deleting an image',
    admits: ['admin'],
    send: async (by, { scene }) => call(by, 'DELETE', `/master-images/${(await scene.image()).id}`),
  },
  {
    title: 'reading an analysis',
    admits: ACTORS,
    send: (by, { analysis }) => call(by, 'GET', `/analyses/${analysis.id}`),
  },
]

test.group('Guards of analyses', (group) => {
  let stage: Stage
  let cast: Cast

  group.setup(async () => {
    const scene = await Scene.set()
    const analysis = await scene.analysis()
    const [approved, undecided] = [
      await scene.assigned(analysis, 'approved'),
      await scene.assigned(analysis),
    ]
    const bucket = await scene.bucket(analysis, 'RESULT')
    stage = { scene, analysis, approved, bucket, file: await scene.file(bucket) }
    cast = {
      'researcher': scene.researcher(),
      'researcher without permissions': scene.researcher([]),
      'steward': scene.steward(),
      'steward without permissions': scene.steward([]),
      'stranger': scene.stranger(),
      'admin': scene.admin(),
      'admin without permissions': person(scene.realms.foreign, {
        realmName: 'master',
        permissions: [],
      }),
      'client of the approved node': scene.clientOf(approved.node as Attributes),
      'client of a node that was not approved': scene.clientOf(undecided.node as Attributes),
      'client of the analysis': person(scene.realms.project, {
        kind: 'client',
        id: analysis.clientId as string,
        permissions: ['analysis_self_storage_use', 'analysis_self_message_broker_use'],
      }),
      'robot of the analysis realm': person(scene.realms.project, { kind: 'robot' }),
    }
  })

  for (const { title, admits, send } of GUARDS) {
    test(`${title}: C1, a caller who may not is refused with 403`, async ({ assert }) => {
      for (const name of ACTORS) {
        const { status, body } = await send(cast[name], stage)
        if (admits.includes(name)) {
          assert.include([200, 201, 202], status, `${name}: ${JSON.stringify(body)}`)
        } else {
          assert.equal(status, 403, `${name}: ${JSON.stringify(body)}`)
          assert.equal(body.code, 'permission_denied', name)
        }
      }
    })
  }
})
