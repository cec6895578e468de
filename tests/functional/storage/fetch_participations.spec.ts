import { test } from '@japa/runner'

import { analysisNode } from '#core/analysis_nodes/analysis_node'
import { analysesOfClient } from '#core/analyses/analyses_of_client'
import { node } from '#core/nodes/node'
import { databaseUrl } from '#database/addresses'
import { pools } from '#database/pools'
import { ServiceUnavailable } from '#kernel/failures'
import { clock } from '#kernel/clock'
import { fetchParticipations } from '#storage/access/fetch_participations'
import { at } from '#tests/helpers/application'
import { handingOut } from '#tests/helpers/core/handing_out'
import { identity } from '#tests/helpers/identities'
import { sampleRecord } from '#tests/helpers/sample_records'

const good = () => handingOut(identity({ permissions: [] }).token)

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

test.group('Participations, fetched from core', () => {
  test('is the same over its address as in one process', async ({ assert }) => {
    const clientId = clock.uuid()
    const analyses = await takingPart(clientId, 3)
    const core = { url: at('core', ''), provider: good() }
    const found = await fetchParticipations(core, clientId)
    assert.sameMembers([...found], analyses)
    assert.deepEqual([...found].toSorted(), [...(await analysesOfClient(clientId))].toSorted())
  })

  test('takes as many pages as there are', async ({ assert }) => {
    const clientId = clock.uuid()
    const analyses = await takingPart(clientId, 60)
    const found = await fetchParticipations({ url: at('core', ''), provider: good() }, clientId)
    assert.sameMembers([...found], analyses)
  })

  for (const clientId of [clock.uuid(), 'no-id', '!x', "~a~', x", 'a,b', '']) {
    test(`is nobody for a client that no node has: ${clientId.slice(0, 8)}`, async ({ assert }) => {
      assert.isEmpty([...(await analysesOfClient(clientId))])
      const core = { url: at('core', ''), provider: good() }
      assert.isEmpty([...(await fetchParticipations(core, clientId))])
    })
  }

  test('goes on with another token where the first is refused', async ({ assert }) => {
    const clientId = clock.uuid()
    const analyses = await takingPart(clientId, 1)
    const provider = handingOut('refused', identity().token)
    const found = await fetchParticipations({ url: at('core', ''), provider }, clientId)
    assert.deepEqual([...found], analyses)
  })

  for (const [what, url, provider] of [
    ['has no address', () => undefined, good],
    ['is away', () => 'http://127.0.0.1:9', good],
    ['lets nobody in', () => at('core', ''), () => handingOut('refused', 'refused-too')],
    ['is something else', () => at('core', '/no-such-path'), good],
  ] as const) {
    test(`cannot be told where core ${what}, and no token is told of it`, async ({ assert }) => {
      assert.plan(3)
      try {
        await fetchParticipations({ url: url(), provider: provider() }, clock.uuid())
      } catch (error) {
        assert.instanceOf(error, ServiceUnavailable)
        assert.notInclude(String((error as Error).cause), 'refused-too')
        assert.notInclude((error as Error).message, '127.0.0.1')
      }
    })
  }
})
