import { test } from '@japa/runner'

import { Analysis } from '#core/analyses/analysis'
import { AnalysisNode } from '#core/analysis_nodes/analysis_node'
import { Node } from '#core/nodes/node'
import { ProjectNode } from '#core/project_nodes/project_node'
import { Project } from '#core/projects/project'
import { AnalysisNodeFactory } from '#factories/analysis_node_factory'
import { BucketFactory } from '#factories/bucket_factory'
import { ClientFactory } from '#factories/client_factory'
import { NodeFactory } from '#factories/node_factory'
import { ProjectNodeFactory } from '#factories/project_node_factory'
import { UserFactory } from '#factories/user_factory'
import { Client } from '#identity/clients/client'
import { Realm } from '#identity/realms/realm'
import { User } from '#identity/users/user'
import DemonstrationSeeder, { requireNoProduction } from '#seeders/demonstration_seeder'
import { Bucket } from '#storage/buckets/bucket'
import { boot } from '#tests/helpers/application'

test.group('Factories of test records', (group) => {
  group.setup(async () => void (await boot()))

  test('factories make records of each surface, with those they belong to', async ({ assert }) => {
    const { id: userId } = await UserFactory.with('realm').create()
    const { id: clientId } = await ClientFactory.with('realm').create()
    const { id: bucketId } = await BucketFactory.create()
    const user = await User.query().where('id', userId).preload('realm').firstOrFail()
    const client = await Client.findOrFail(clientId)
    assert.notEqual(user.realm.id, client.realmId)
    assert.isTrue(user.active)
    assert.exists(await Bucket.find(bucketId))
  })

  test('apply states and merged attributes', async ({ assert }) => {
    const [first, second] = await NodeFactory.apply('aggregator')
      .merge([{ online: true }, { hidden: true }])
      .createMany(2)
    const nodes = await Node.query().whereIn('id', [first!.id, second!.id]).orderBy('online')
    assert.deepEqual(
      nodes.map(({ type, online, hidden }) => [type, online, hidden]),
      [
        ['aggregator', false, true],
        ['aggregator', true, false],
      ]
    )
  })

  test('factories make junctions with both of their ends', async ({ assert }) => {
    const part = await AnalysisNodeFactory.apply('approved')
      .with('analysis', 1, (analysis) => analysis.with('project'))
      .with('node')
      .create()
    const analysis = await Analysis.findOrFail(part.analysisId)
    const { projectId } = await ProjectNodeFactory.merge({ projectId: analysis.projectId })
      .with('node')
      .create()
    assert.equal(projectId, analysis.projectId)
    const { approvalStatus } = await AnalysisNode.findOrFail(part.id)
    assert.equal(approvalStatus, 'approved')
  })
})

test.group('Demonstration data', (group) => {
  group.setup(async () => {
    await boot()
    await Realm.firstOrCreate({ name: 'master' })
  })

  const seed = () => new DemonstrationSeeder(Node.query().client).run()

  test('the data is two nodes, a project and an analysis, however often it is seeded', async ({
    assert,
  }) => {
    await seed()
    await seed()
    const project = await Project.findByOrFail('name', 'demonstration')
    const analyses = await Analysis.query().where('projectId', project.id)
    const nodes = await ProjectNode.query().where('projectId', project.id).preload('node')
    const running = await AnalysisNode.query().where('analysisId', analyses[0]!.id)
    assert.lengthOf(analyses, 1)
    assert.equal(analyses[0]!.nodesApproved, running.length)
    assert.isTrue(analyses[0]!.configurationNodesValid)
    assert.sameMembers(
      nodes.map(({ node }) => node.type),
      ['default', 'aggregator']
    )
  })

  test('the data is refused in production', ({ assert }) => {
    assert.throws(() => requireNoProduction({ NODE_ENV: 'production' }), /production/)
    assert.doesNotThrow(() => requireNoProduction({ NODE_ENV: 'development' }))
  })
})
