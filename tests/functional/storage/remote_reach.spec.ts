import { test } from '@japa/runner'

import { analysis } from '#core/analyses/analysis'
import { storageReach } from '#core/analysis_storage/storage_reach'
import { analysisNode } from '#core/analysis_nodes/analysis_node'
import { analysisBucket } from '#core/analysis_buckets/analysis_bucket'
import { node } from '#core/nodes/node'
import { databaseUrl } from '#database/addresses'
import { pools } from '#database/pools'
import { ServiceUnavailable } from '#kernel/failures'
import { clock } from '#kernel/clock'
import { remoteReach } from '#storage/access/remote_reach'
import { withoutCore } from '#storage/access/without_core'
import { at } from '#tests/helpers/application'
import { handingOut } from '#tests/helpers/core/handing_out'
import { identity } from '#tests/helpers/identities'
import { sampleRecord } from '#tests/helpers/sample_records'

/** As the platform itself is, which asks. */
const good = () => handingOut(identity({ kind: 'client' }).token)
const remote = (provider = good(), url: string | undefined = at('core', '')) =>
  remoteReach({ url, provider })

async function takingPart(clientId: string, count: number): Promise<string[]> {
  const { id: nodeId } = await sampleRecord('core', node, { clientId })
  const analyses: string[] = []
  for (let index = 0; index < count; index++) {
    const part = await sampleRecord('core', analysisNode, { nodeId, approvalStatus: 'approved' })
    analyses.push(part.analysisId as string)
  }
  const open = await sampleRecord('core', analysisNode, { nodeId })
  await pools
    .for(databaseUrl('core'))
    .query('update analysis_nodes set approval_status = null where id = $1', [open.id])
  await sampleRecord('core', analysisNode, { nodeId, approvalStatus: 'rejected' })
  return analyses
}

test.group('The reach of callers, fetched from core', () => {
  test('a client of a node takes part in what the node approved, over HTTP as in one process', async ({
    assert,
  }) => {
    const clientId = clock.uuid()
    const analyses = await takingPart(clientId, 60)
    const query = { kind: 'client', id: clientId, decidesFor: null }
    for (const reach of [await remote().of(query), await storageReach.of(query)]) {
      assert.equal(reach.program, 'node')
      assert.sameMembers([...reach.analyses], analyses)
      assert.isEmpty([...reach.codeBuckets])
    }
  })

  test('a client of an analysis has that analysis, a user the created ones', async ({ assert }) => {
    const clientId = clock.uuid()
    const userId = clock.uuid()
    const own = await sampleRecord('core', analysis, { clientId, userId })
    const ofClient = { kind: 'client', id: clientId, decidesFor: null }
    const ofUser = { kind: 'user', id: userId, decidesFor: null }
    for (const source of [remote(), storageReach]) {
      const client = await source.of(ofClient)
      assert.equal(client.program, 'analysis')
      assert.deepEqual([...client.analyses], [own.id])
      const user = await source.of(ofUser)
      assert.isNull(user.program)
      assert.deepEqual([...user.analyses], [own.id])
      assert.isEmpty([...(await source.of({ ...ofUser, kind: 'robot' })).analyses])
    }
  })

  test('the realm of an assigned node decides about code, but not about what is also a result', async ({
    assert,
  }) => {
    const decidesFor = clock.uuid()
    const part = await sampleRecord('core', analysisNode, { nodeRealmId: decidesFor })
    const { analysisId } = part
    const [code, both, result] = [clock.uuid(), clock.uuid(), clock.uuid()]
    for (const [bucketId, type, of] of [
      [code, 'CODE', analysisId],
      [both, 'CODE', analysisId],
      [both, 'RESULT', (await sampleRecord('core', analysis)).id],
      [result, 'RESULT', analysisId],
    ]) {
      await sampleRecord('core', analysisBucket, { bucketId, type, analysisId: of })
    }
    const query = { kind: 'user', id: clock.uuid(), decidesFor }
    for (const source of [remote(), storageReach]) {
      assert.deepEqual([...(await source.of(query)).codeBuckets], [code])
      assert.sameMembers([...(await source.typesOf(both))], ['CODE', 'RESULT'])
      assert.deepEqual(await source.typesOf(clock.uuid()), [])
      const { realmId } = await sampleRecord('core', analysis)
      assert.isString(realmId)
      assert.isUndefined(await source.realmOf(clock.uuid()))
    }
  })

  for (const id of [clock.uuid(), 'no-id', '!x', "~a~', x", 'a,b', '']) {
    test(`the reach is empty for callers that core does not know: ${id.slice(0, 8)}`, async ({
      assert,
    }) => {
      for (const source of [remote(), storageReach]) {
        const reach = await source.of({ kind: 'client', id, decidesFor: id })
        assert.isNull(reach.program)
        assert.isEmpty([...reach.analyses, ...reach.codeBuckets])
        assert.isEmpty([...(await source.typesOf(id))])
      }
    })
  }

  test('the reach is fetched with another token where the first is refused', async ({ assert }) => {
    const clientId = clock.uuid()
    const analyses = await takingPart(clientId, 1)
    const provider = handingOut('refused', identity({ kind: 'client' }).token)
    const { analyses: found } = await remote(provider).of({
      kind: 'client',
      id: clientId,
      decidesFor: null,
    })
    assert.deepEqual([...found], analyses)
  })

  for (const [what, url, provider] of [
    ['has no address', () => undefined, good],
    ['is away', () => 'http://127.0.0.1:9', good],
    ['lets nobody in', () => at('core', ''), () => handingOut('refused', 'refused-too')],
    ['is something else', () => at('core', '/no-such-path'), good],
  ] as const) {
    test(`the reach is unknown where core ${what}, and no token is revealed`, async ({
      assert,
    }) => {
      assert.plan(3)
      try {
        const source = remoteReach({ url: url(), provider: provider() })
        await source.of({ kind: 'client', id: clock.uuid(), decidesFor: null })
      } catch (error) {
        assert.instanceOf(error, ServiceUnavailable)
        assert.notInclude(String((error as Error).cause), 'refused-too')
        assert.notInclude((error as Error).message, '127.0.0.1')
      }
    })
  }

  test('without core no client counts as one of a realm', async ({ assert }) => {
    const query = { id: clock.uuid(), decidesFor: null }
    await assert.rejects(() => withoutCore.of({ ...query, kind: 'client' }), /CORE_URL/)
    assert.isNull((await withoutCore.of({ ...query, kind: 'user' })).program)
  })

  test('the reach is returned to the platform only', async ({ assert }) => {
    for (const by of [
      identity(),
      identity({ kind: 'client', realmName: 'site' }),
      identity({ kind: 'client', permissions: ['analysis_update'] }),
    ]) {
      const url = at('core', `/storage-reach?kind=client&id=${clock.uuid()}`)
      const response = await fetch(url, { headers: by.headers })
      await response.body?.cancel()
      assert.equal(response.status, 403)
    }
  })
})
