import { test } from '@japa/runner'

import { clock, overrideClock } from '#kernel/clock'
import { eventually } from '#tests/helpers/eventually'
import { NodeScene } from '#tests/helpers/node/node_scene'

const WITHIN_MS = 120_000
const HOUR_MS = 3_600_000

test.group('A node that was away for an hour', (group) => {
  group.each.timeout(300_000)

  test('logs in again, takes its messages, starts what was distributed, and renews tokens', async ({
    assert,
    cleanup,
  }) => {
    const scene = await NodeScene.set(cleanup)
    const running = await scene.distribute()
    await scene.start()
    const { analysis } = await eventually(
      () => scene.containers.running.get(running.analysisId),
      WITHIN_MS
    )
    const countOf = (path: string) => scene.hub.calls.filter((call) => call.path === path).length
    const logins = countOf('/auth/token')
    const streams = countOf('/messenger/messages/stream')
    let isAway = true
    let formerIsRefused = false
    scene.hub.fault = ({ path, token }, response) => {
      if (isAway) {
        return response.destroy()
      }
      const isFormer = formerIsRefused && path !== '/auth/token' && scene.hub.firstToken === token
      return isFormer && response.writeHead(401).end('{"message":"The token has expired"}')
    }
    scene.hub.hangUp()
    // Meanwhile a partner sends, an analysis is distributed, and another node has ended.
    const started = await scene.distribute()
    scene.hub.mailbox.push(scene.message(running.analysisId, 'while away'))
    scene.hub.mailbox.push(scene.message(started.analysisId, 'to the new one'))
    analysis.tokenSeconds = 0
    const later = clock.now() + HOUR_MS
    cleanup(overrideClock({ now: () => later }))
    formerIsRefused = true
    isAway = false

    await eventually(() => analysis.messages.length === 1, WITHIN_MS)
    const { analysis: other } = await eventually(
      () => scene.containers.running.get(started.analysisId),
      WITHIN_MS
    )
    await eventually(() => other.messages.length === 1, WITHIN_MS)
    assert.deepEqual(analysis.messages, ['while away'])
    assert.deepEqual(other.messages, ['to the new one'])
    await eventually(() => analysis.tokens.length > 0, WITHIN_MS)
    await eventually(() => countOf('/messenger/messages/stream') > streams, WITHIN_MS)
    assert.isAbove(countOf('/auth/token'), logins)
    assert.equal(running.executionStatus, 'executing')
    assert.lengthOf(scene.hub.mailbox, 0)
  })

  test('the node ends what was withdrawn meanwhile', async ({ assert, cleanup }) => {
    const scene = await NodeScene.set(cleanup)
    const assignment = await scene.distribute()
    await scene.start()
    await eventually(() => scene.containers.running.size === 1, WITHIN_MS)
    scene.hub.fault = (_call, response) => response.destroy()
    scene.hub.hangUp()
    Object.assign(assignment, { approvalStatus: 'rejected' })
    scene.hub.fault = () => false

    await eventually(() => assignment.executionStatus === 'stopped', WITHIN_MS)
    assert.equal(scene.containers.running.size, 0)
  })
})
