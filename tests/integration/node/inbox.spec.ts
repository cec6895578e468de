import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

import { test } from '@japa/runner'

import type { Assignment } from '#node/analyses/hub_analyses'
import { Inbox, OVERFLOWED } from '#node/messages/inbox'
import type { ReceivedMessage } from '#node/messages/receiver'
import { eventually } from '#tests/helpers/eventually'
import { NodeScene } from '#tests/helpers/node/node_scene'
import { temporaryFolder } from '#tests/helpers/temporary_folder'

const WITHIN_MS = 60_000
const numbers = (count: number) => Array.from({ length: count }, (_, n) => n)

test.group('Messages of several analyses at one node', (group) => {
  group.each.timeout(120_000)

  const analysisOf = (scene: NodeScene, { analysisId }: Assignment) =>
    eventually(() => scene.containers.running.get(analysisId)?.analysis, WITHIN_MS)

  test('an analysis that accepts no messages does not delay the others', async ({
    assert,
    cleanup,
  }) => {
    const scene = await NodeScene.set(cleanup)
    const deaf = await scene.distribute()
    const other = await scene.distribute()
    scene.containers.onStart = ({ silent }, id) => id === deaf.analysisId && silent.add('/webhook')
    await scene.start()
    await analysisOf(scene, deaf)
    const { messages } = await analysisOf(scene, other)
    const waiting = numbers(150).map((n) => scene.message(deaf.analysisId, { n }))
    scene.hub.mailbox.push(...waiting)
    scene.hub.post(scene.message(other.analysisId, 'at once'))

    await eventually(() => messages.length === 1, WITHIN_MS)
    assert.deepEqual(messages, ['at once'])
    await eventually(() => scene.hub.mailbox.length === 0, WITHIN_MS)
    // Nothing was lost meanwhile.
    const { analysis } = scene.containers.running.get(deaf.analysisId)!
    analysis.silent.clear()
    analysis.abandon()
    await eventually(() => analysis.messages.length >= 150, WITHIN_MS)
    assert.sameDeepMembers(
      analysis.messages,
      numbers(150).map((n) => ({ n }))
    )
  })

  test('those for one that has not started yet wait at the node, in order', async ({
    assert,
    cleanup,
  }) => {
    const scene = await NodeScene.set(cleanup)
    const assignment = await scene.distribute()
    const { analysis } = assignment
    Object.assign(analysis, { distributionStatus: null })
    const first = await scene.start()
    numbers(120).forEach((n) => scene.hub.mailbox.push(scene.message(analysis.id, n)))
    scene.hub.wake()
    await eventually(() => scene.hub.mailbox.length === 0, WITHIN_MS)
    await first.stop()
    Object.assign(analysis, { distributionStatus: 'executed' })
    await scene.start()

    const { messages } = await analysisOf(scene, assignment)
    await eventually(() => messages.length === 120, WITHIN_MS)
    assert.deepEqual(messages, numbers(120))
  })

  test('those of strangers, and for analyses that the node did not approve, are dropped', async ({
    assert,
    cleanup,
  }) => {
    const scene = await NodeScene.set(cleanup)
    const assignment = await scene.distribute()
    const open = await scene.distribute({ approvalStatus: null })
    await scene.start()
    const { messages } = await analysisOf(scene, assignment)
    const stranger = { ...scene.message(assignment.analysisId, 'strange'), senderId: open.id }
    scene.hub.mailbox.push(
      stranger,
      scene.message(open.analysisId, 'too early'),
      scene.message('../..', 'elsewhere'),
      { ...stranger, metadata: null }
    )
    scene.hub.post(scene.message(assignment.analysisId, 'wanted'))

    await eventually(() => messages.length > 0 && scene.hub.mailbox.length === 0, WITHIN_MS)
    assert.deepEqual(messages, ['wanted'])
    assert.deepEqual(await readdir(join(scene.settings.folder, 'incoming')), [
      assignment.analysisId,
    ])
  })

  test('an analysis to which too many were sent fails, and its log says why', async ({
    assert,
    cleanup,
  }) => {
    const scene = await NodeScene.set(cleanup)
    const assignment = await scene.distribute()
    const inbox = await Inbox.open(join(scene.settings.folder, 'incoming'), {
      messages: 0,
      bytes: 0,
    })
    const sent = { id: 'id', senderClientId: '', analysisId: '', messageId: '', sealed: '' }
    assert.isFalse(await inbox.add(assignment.analysisId, [sent]))
    await scene.start()

    await eventually(() => assignment.executionStatus === 'failed', WITHIN_MS)
    assert.include(
      scene.hub.logs.map(({ message }) => message),
      OVERFLOWED
    )
    assert.isEmpty(await readdir(join(scene.settings.folder, 'incoming')))
  })

  test('they are removed with the run that did not take them', async ({ assert, cleanup }) => {
    const scene = await NodeScene.set(cleanup)
    scene.containers.onStart = ({ silent }) => silent.add('/webhook')
    const assignment = await scene.distribute()
    await scene.start()
    const { status } = await analysisOf(scene, assignment)
    assert.equal(status, 'executing')
    scene.hub.post(scene.message(assignment.analysisId, 'never taken'))
    await eventually(() => scene.hub.mailbox.length === 0, WITHIN_MS)
    Object.assign(assignment, { approvalStatus: 'rejected' })

    const folder = join(scene.settings.folder, 'incoming')
    await eventually(async () => (await readdir(folder)).length === 0, WITHIN_MS)
    await eventually(() => assignment.executionStatus === 'stopped', WITHIN_MS)
  })
})

test.group('The inbox of a node', () => {
  const LIMITS = { messages: 3, bytes: 1_000 }
  const message = (id: string, sealed = 'sealed'): ReceivedMessage => ({
    id,
    senderClientId: 'sender',
    analysisId: 'analysis',
    messageId: id,
    sealed,
  })
  const handedOut = async (
    inbox: Inbox,
    count: number,
    analysisId = 'analysis'
  ): Promise<string[]> => {
    const ids: string[] = []
    const controller = new AbortController()
    await inbox.handOut(
      analysisId,
      async ({ id }) => {
        ids.push(id)
        if (ids.length === count) {
          controller.abort()
        }
      },
      controller.signal
    )
    return ids
  }

  test('the inbox has each message once, though it was added again after a crash', async ({
    assert,
    cleanup,
  }) => {
    const folder = await temporaryFolder(cleanup)
    const inbox = await Inbox.open(folder, LIMITS)
    assert.isTrue(await inbox.add('analysis', [message('1'), message('2')]))
    const reopened = await Inbox.open(folder, LIMITS)
    assert.isTrue(await reopened.add('analysis', [message('2'), message('3')]))
    assert.deepEqual(await handedOut(reopened, 3), ['1', '2', '3'])
  })

  test('the inbox delivers a message that arrives while the delivery starts', async ({
    assert,
    cleanup,
  }) => {
    const inbox = await Inbox.open(await temporaryFolder(cleanup), LIMITS)
    const ids = await Promise.all(
      numbers(100).map(async (n) => {
        const [handed] = await Promise.all([
          handedOut(inbox, 1, `analysis-${n}`),
          inbox.add(`analysis-${n}`, [message('1')]),
        ])
        return handed
      })
    )
    assert.deepEqual(ids, Array(100).fill(['1']))
  })

  for (const [what, messages] of [
    ['messages', ['1', '2', '3', '4'].map((id) => message(id))],
    ['bytes', [message('1', 'x'.repeat(1_000))]],
  ] as const) {
    test(`the inbox takes nothing more for an analysis that too many ${what} wait for`, async ({
      assert,
      cleanup,
    }) => {
      const folder = await temporaryFolder(cleanup)
      const inbox = await Inbox.open(folder, LIMITS)
      assert.isFalse(await inbox.add('analysis', messages))
      assert.isFalse(await inbox.add('analysis', [message('5')]))
      assert.isTrue(await inbox.add('other', [message('6')]))
      const reopened = await Inbox.open(folder, LIMITS)
      assert.isTrue(reopened.hasOverflowed('analysis'))
      assert.isFalse(reopened.hasOverflowed('other'))
      await reopened.remove('analysis')
      assert.isTrue(await reopened.add('analysis', [message('7')]))
    })
  }
})
