import { test } from '@japa/runner'

import type { Attributes } from '#records/row'
import { clock } from '#kernel/clock'
import { call, person, Scene } from './analysis_scene.js'

test.group('What changed since a decision', (group) => {
  let scene: Scene
  let analysis: Attributes
  let part: Attributes
  let code: Attributes

  group.each.setup(async () => {
    scene = await Scene.set()
    analysis = await scene.analysis()
    part = await scene.assigned(analysis)
    code = await scene.bucket(analysis)
    await scene.codeFile(code, { path: 'main.py', root: true })
  })

  const read = (by = scene.steward([])) => call(by, 'GET', `/analysis-nodes/${part.id}/changes`)
  const decide = (approvalStatus: 'approved' | 'rejected') =>
    call(scene.steward(), 'POST', `/analysis-nodes/${part.id}`, { approvalStatus })

  /** Adds the file that the analysis starts with from now on. */
  async function addRoot(path: string): Promise<void> {
    const { id } = await scene.codeFile(code, { path, root: false })
    await call(scene.researcher(), 'POST', `/analysis-bucket-files/${id}`, { root: true })
  }

  test('nothing is known before the first decision', async ({ assert }) => {
    const { status, body } = await read()
    assert.equal(status, 200)
    assert.isNull(body.data.decision)
    assert.isNull(body.data.changes)
    assert.match(body.data.digest, /^[0-9a-f]{64}$/)
  })

  for (const verdict of ['approved', 'rejected'] as const) {
    test(`files, entry point and arguments are compared with what was ${verdict}`, async ({
      assert,
    }) => {
      assert.equal((await decide(verdict)).status, 202)
      const unchanged = await read()
      assert.equal(unchanged.body.data.decision.approvalStatus, verdict)
      assert.equal(unchanged.body.data.decision.digest, unchanged.body.data.digest)
      assert.equal(unchanged.body.data.changes.files.total, 0)
      assert.isNull(unchanged.body.data.changes.entrypoint)
      await addRoot('other.py')
      const args = [{ value: '--all', position: 'after' }]
      const changed = await call(scene.researcher(), 'POST', `/analyses/${analysis.id}`, {
        imageCommandArguments: args,
      })
      assert.equal(changed.status, 202, JSON.stringify(changed.body))
      const { decision, changes, digest } = (await read()).body.data
      assert.notEqual(decision.digest, digest)
      assert.deepEqual(changes.files, {
        added: ['other.py'],
        removed: [],
        replaced: [],
        total: 1,
      })
      assert.deepEqual(changes.entrypoint, { previous: 'main.py', next: 'other.py' })
      assert.isNotNull(changes.imageCommandArguments)
      assert.isNull(changes.masterImage)
    })
  }

  test('an approval that the platform withdrew stays the last decision', async ({ assert }) => {
    await decide('approved')
    await addRoot('late.py')
    const { body } = await call(scene.steward(), 'GET', `/analysis-nodes/${part.id}`)
    assert.isNull(body.data.approvalStatus)
    const { decision, changes } = (await read()).body.data
    assert.equal(decision.approvalStatus, 'approved')
    assert.deepEqual(changes.files.added, ['late.py'])
  })

  test('assigning the node anew hides nothing', async ({ assert }) => {
    await decide('approved')
    await call(scene.researcher(), 'DELETE', `/analysis-nodes/${part.id}`)
    await scene.codeFile(code, { path: 'hidden.py' })
    part = await scene.assign(analysis, part.node as Attributes)
    assert.deepEqual((await read()).body.data.changes.files.added, ['hidden.py'])
  })

  test('both realms read it, others do not', async ({ assert }) => {
    await decide('approved')
    assert.equal((await read(scene.researcher([]))).status, 200)
    assert.equal((await read(scene.admin())).status, 200)
    assert.equal((await read(scene.stranger())).status, 403)
    const { status } = await call(scene.steward(), 'GET', `/analysis-nodes/${clock.uuid()}/changes`)
    assert.equal(status, 404)
  })

  test('clients of nodes list no code, and no files of others', async ({ assert }) => {
    await decide('approved')
    const client = scene.clientOf(part.node as Attributes)
    const result = await scene.bucket(analysis, 'RESULT')
    const list = (by: ReturnType<typeof person>, bucket: Attributes) =>
      call(by, 'POST', '/analysis-bucket-files', {
        path: `${clock.uuid()}.txt`,
        bucketId: bucket.bucketId,
        bucketFileId: clock.uuid(),
        analysisBucketId: bucket.id,
      })
    assert.equal((await list(client, code)).status, 403)
    assert.equal((await list(client, result)).status, 201)
    const elsewhere = await scene.analysis()
    assert.equal((await list(client, await scene.bucket(elsewhere, 'RESULT'))).status, 403)
    const own = person(scene.realms.project, { kind: 'client', id: analysis.clientId as string })
    assert.equal((await list(own, result)).status, 201)
    assert.equal((await list(own, await scene.bucket(elsewhere, 'TEMP'))).status, 403)
  })
})
