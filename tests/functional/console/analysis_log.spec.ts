import { test } from '@japa/runner'

import { ConsoleVisitor, unescaped } from '#tests/helpers/console/console_visitor'
import { HOSTILE } from '#tests/helpers/console/hostile_text'
import { at, boot } from '#tests/helpers/application'
import { identity, REALMS, withEndingTokens } from '#tests/helpers/identities'
import { followed } from '#tests/helpers/telemetry/followed'
import { AnalysisLogStore } from '#core/analysis_logs/analysis_log_store'
import { clock } from '#kernel/clock'
import { Scene } from '#tests/functional/core/analysis_scene'

/** Writes a line of the hub about an analysis, or of one of its nodes. */
async function log(message: string, labels: Record<string, string>): Promise<void> {
  const store = await (await boot()).container.make(AnalysisLogStore)
  const time = new Date(clock.now()).toISOString()
  await store.write({
    time,
    message,
    level: 'info',
    service: 'hub-server-worker',
    channel: 'http',
    labels,
  })
}

async function loggedAnalysis() {
  const scene = await Scene.set()
  const analysis = await scene.analysis()
  const { node } = (await scene.assigned(analysis)) as { node: { id: string; name: string } }
  const analysisId = String(analysis.id)
  return {
    node,
    path: `/analyses/${analysisId}/log`,
    ofHub: { refType: 'analysis', refId: analysisId },
    ofNode: { refType: 'analysisNode', analysisId, nodeId: node.id },
  }
}

const admin = () => ConsoleVisitor.as()

const follow = (visitor: ConsoleVisitor, path: string, after?: string) =>
  followed(at('console', path), visitor.headers, after)

test.group('Console | logs of analyses', () => {
  test('the lines of the hub and of each node are shown apart', async ({ assert }) => {
    const { node, path, ofHub, ofNode } = await loggedAnalysis()
    await log('built by the worker', ofHub)
    await log('counted by the node', ofNode)
    const hub = await admin().open(path)
    assert.include(hub.text, 'built by the worker')
    assert.notInclude(hub.text, 'counted by the node')
    assert.include(hub.text, node.name)
    const own = await admin().open(`${path}?of=${node.id}`)
    assert.include(own.text, 'counted by the node')
    assert.notInclude(own.text, 'built by the worker')
  })

  test('new lines reach an open page, and it continues after the last it has', async ({
    assert,
  }) => {
    const { node, path, ofNode } = await loggedAnalysis()
    const address = `${path}/stream?of=${node.id}`
    const stream = await follow(admin(), address)
    await log('one', ofNode)
    const [one] = await stream.until(1)
    assert.equal(one!.name, 'line')
    assert.deepEqual(Object.keys(one!.data), ['time', 'level', 'message'])
    assert.equal(one!.data.message, 'one')
    await stream.leave()
    await log('two', ofNode)
    const next = await follow(admin(), address, one!.id)
    const [two] = await next.until(1)
    assert.equal(two!.data.message, 'two')
    await next.leave()
  })

  test('a line is text, on the page and in the stream', async ({ assert }) => {
    const { path, ofHub } = await loggedAnalysis()
    const visitor = admin()
    const stream = await follow(visitor, `${path}/stream`)
    await log(`${HOSTILE}\ndata: injected`, ofHub)
    const [line] = await stream.until(1)
    assert.equal(line!.data.message, `${HOSTILE}\ndata: injected`)
    await stream.leave()
    const { text } = await visitor.open(path)
    assert.notMatch(text, /<script>alert|<img src=x/)
    assert.include(unescaped(text), HOSTILE)
  })

  test('a stream ends with its session', async ({ assert }) => {
    const { path } = await loggedAnalysis()
    await withEndingTokens(async (end) => {
      const stream = await follow(admin(), `${path}/stream`)
      assert.equal(stream.response.status, 200)
      end()
      await stream.ended
    })
  })

  test('there is no stream without a session, and none for a realm that takes no part', async ({
    assert,
  }) => {
    const { path } = await loggedAnalysis()
    const address = at('console', `${path}/stream`)
    assert.equal((await fetch(address)).status, 401)
    const stranger = ConsoleVisitor.as({ realmId: REALMS.other, realmName: 'site' })
    assert.equal((await fetch(address, { headers: stranger.headers })).status, 403)
  })

  test('a user has a limited number of streams, and others are not affected', async ({
    assert,
  }) => {
    const { path } = await loggedAnalysis()
    const { token } = identity()
    const visitor = new ConsoleVisitor()
    visitor.become({ accessToken: token })
    const open = () => follow(visitor, `${path}/stream`)
    const streams = await Promise.all(Array.from({ length: 16 }, open))
    const beyond = await fetch(at('console', `${path}/stream`), { headers: visitor.headers })
    assert.equal(beyond.status, 429)
    const other = await follow(admin(), `${path}/stream`)
    assert.equal(other.response.status, 200)
    assert.equal((await visitor.open(path)).status, 200)
    await Promise.all([...streams, other].map((stream) => stream.leave()))
  })
})
