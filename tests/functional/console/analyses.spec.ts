import { test } from '@japa/runner'

import { consolePath, ConsoleVisitor, unescaped } from '#tests/helpers/console/console_visitor'
import { HOSTILE } from '#tests/helpers/console/hostile_text'
import { REALMS } from '#tests/helpers/identities'
import { decided, Scene, set } from '#tests/functional/core/analysis_scene'

const admin = () => ConsoleVisitor.as()

/** The rows of the tables of a page, as text. */
const rowsOf = (text: string): string[] =>
  [...text.matchAll(/<tr>([^]*?)<\/tr>/g)].map(([, row]) =>
    unescaped(row!.replaceAll(/<[^>]*>/g, ' ')).replaceAll(/\s+/g, ' ')
  )

const LOCKED = { configuration_locked: true }
const BUILT = { ...LOCKED, build_status: 'executed' }
const FINISHED = { ...BUILT, distribution_status: 'executed', execution_status: 'executed' }

/** An analysis with a name of its own, whose node has not approved anything. */
async function waitingAnalysis() {
  const scene = await Scene.set()
  const analysis = await scene.analysis()
  const assignment = await scene.assigned(analysis)
  await set('analyses', analysis.id, { configuration_locked: true, nodes: 1 })
  return { scene, analysis, assignment, node: assignment.node as { name: string } }
}

test.group('Console | analyses', () => {
  test('each analysis has its phase and who blocks it', async ({ assert }) => {
    const { analysis, node } = await waitingAnalysis()
    const page = await admin().open(`/analyses?name=${String(analysis.name)}`)
    assert.equal(page.status, 200)
    const row = rowsOf(page.text).find((one) => one.includes(String(analysis.name)))
    assert.include(row, 'Approval and build')
    assert.include(row, 'A node has not approved its content.')
    assert.include(row, `node ${node.name}`)
  })

  test('the filter {filter} shows the analyses of that phase only')
    .with([
      { filter: 'configuration', matching: { configuration_locked: false }, other: LOCKED },
      { filter: 'build', matching: LOCKED, other: BUILT },
      { filter: 'built', matching: BUILT, other: FINISHED },
      { filter: 'failed', matching: { ...LOCKED, build_status: 'failed' }, other: BUILT },
      { filter: 'finished', matching: FINISHED, other: BUILT },
    ])
    .run(async ({ assert }, { filter, ...values }) => {
      const scene = await Scene.set()
      const [matching, other] = [await scene.analysis(), await scene.analysis()]
      await set('analyses', matching.id, values.matching)
      await set('analyses', other.id, values.other)
      for (const { id, name } of [matching, other]) {
        const { text } = await admin().open(`/analyses?phase=${filter}&name=${String(name)}`)
        assert.equal(text.includes(`/analyses/${String(id)}"`), id === matching.id)
      }
    })

  test('lists have pages that keep the search', async ({ assert }) => {
    const scene = await Scene.set()
    for (let count = 0; count < 21; count++) {
      await scene.analysis({ displayName: `paged ${String(scene.project.name)}` })
    }
    const search = encodeURIComponent(`paged ${String(scene.project.name)}`)
    const first = await admin().open(`/analyses?name=${search}`)
    const next = /rel="next" href="([^"]*)"/.exec(first.text.replaceAll(/\s+/g, ' '))?.[1]
    assert.include(first.text, '1 to 20 of 21')
    const second = await admin().open(consolePath(unescaped(next!)))
    assert.include(second.text, '21 to 21 of 21')
    assert.lengthOf(rowsOf(second.text), 2)
  })

  test('one analysis shows its conditions, its nodes and its way as a picture', async ({
    assert,
  }) => {
    const { analysis, node } = await waitingAnalysis()
    const { status, text } = await admin().open(`/analyses/${String(analysis.id)}`)
    assert.equal(status, 200)
    assert.include(text, 'A node has not approved its content.')
    assert.include(text, `hubctl analysis explain ${String(analysis.id)}`)
    const row = rowsOf(text).find((one) => one.includes(node.name))
    assert.match(row!, /Approved .*Open/)
    const picture = /<svg class="flow"[^]*?<\/svg>/.exec(text)?.[0]
    assert.include(picture, 'Content approved by its nodes: not yet, 0 of 1.')
    assert.include(picture, 'Configuration locked: done.')
    assert.include(picture, `Run at ${node.name}`)
    assert.match(picture!, /role="img" aria-labelledby="flow-title flow-desc"/)
    assert.match(picture!, /class="step waiting"/)
    assert.match(picture!, /class="step done"/)
  })

  test('commands say what they do, and are given with the session of the user', async ({
    assert,
  }) => {
    const scene = await Scene.set()
    const analysis = await scene.analysis()
    await set('analyses', analysis.id, { configuration_locked: true })
    const visitor = admin()
    const path = `/analyses/${String(analysis.id)}`
    const page = await visitor.open(path)
    assert.include(page.text, 'All approvals of nodes, the build and the distribution are reset.')
    assert.include(page.text, 'Cannot be undone: every node has to approve it again.')
    assert.include(page.text, `hubctl analysis unlock ${String(analysis.id)}`)
    const done = await visitor.submit(page, `${path}/commands/unlock`)
    assert.equal(done.status, 303)
    assert.equal(consolePath(done.location!), path)
    assert.isFalse((await scene.read(analysis)).configurationLocked)
    assert.include((await visitor.follow(done)).text, 'The configuration is unlocked.')
  })

  test('a refused command shows why, and unknown ones are not found', async ({ assert }) => {
    const scene = await Scene.set()
    const analysis = await scene.analysis()
    const visitor = admin()
    const path = `/analyses/${String(analysis.id)}`
    const page = await visitor.open(path)
    const refused = await visitor.submit(page, `${path}/commands/lock`)
    assert.equal(refused.status, 400)
    assert.include(refused.text, 'No node with data is assigned')
    const [field] = /name="_token" value="[^"]*"/.exec(page.text) ?? []
    const token = unescaped(/value="([^"]*)"/.exec(field ?? '')?.[1] ?? '')
    const unknown = await visitor.forge(`${path}/commands/erase`, { _token: token })
    assert.equal(unknown.status, 404)
  })

  test('without the permission to change analyses there is nothing to press', async ({
    assert,
  }) => {
    const { analysis } = await waitingAnalysis()
    const visitor = ConsoleVisitor.as({ permissions: [] })
    const { status, text } = await visitor.open(`/analyses/${String(analysis.id)}`)
    assert.equal(status, 200)
    assert.notInclude(text, '/commands/')
  })

  test('members of another realm see what the interface shows them', async ({ assert }) => {
    const { analysis } = await waitingAnalysis()
    const stranger = ConsoleVisitor.as({ realmId: REALMS.other, realmName: 'site' })
    const path = `/analyses/${String(analysis.id)}`
    assert.equal((await stranger.open(path)).status, 200)
    const log = await stranger.open(`${path}/log`)
    assert.include(log.text, 'You may not read the log of this analysis.')
    const page = await stranger.open(path)
    const refused = await stranger.submit(page, `${path}/commands/unlock`)
    assert.equal(refused.status, 403)
  })

  test('names, comments and descriptions of others are text', async ({ assert }) => {
    const { scene, analysis, assignment, node } = await waitingAnalysis()
    await set('analyses', analysis.id, { display_name: HOSTILE, description: HOSTILE })
    await set('projects', scene.project.id, { name: HOSTILE, display_name: HOSTILE })
    await set('nodes', (node as { id?: unknown }).id, { name: HOSTILE })
    await set('analysis_nodes', assignment.id, { comment: HOSTILE })
    const paths = [
      `/analyses?name=${encodeURIComponent(HOSTILE)}`,
      `/analyses/${String(analysis.id)}`,
      `/analyses/${String(analysis.id)}/timeline`,
      `/analyses/${String(analysis.id)}/log`,
      `/analyses/${String(analysis.id)}/files`,
    ]
    for (const path of paths) {
      const { status, text } = await admin().open(path)
      assert.equal(status, 200, path)
      assert.notMatch(text, /<script>alert|<img src=x/, path)
      assert.include(unescaped(text), HOSTILE, path)
    }
  })

  test('the timeline shows what happened, newest first', async ({ assert }) => {
    const { analysis, assignment, node } = await waitingAnalysis()
    await decided(assignment.id, 'rejected')
    await set('analyses', analysis.id, { build_status: 'starting' })
    const page = await admin().open(`/analyses/${String(analysis.id)}/timeline`)
    assert.equal(page.status, 200)
    const [, first, second] = rowsOf(page.text)
    assert.match(first!, /State build starting/)
    assert.match(second!, /Approval approval rejected/)
    assert.include(second, node.name)
  })

  test('a malformed or unknown id is not found', async ({ assert }) => {
    assert.equal((await admin().open('/analyses/..%2f..%2fnodes')).status, 404)
    const missing = '/analyses/99999999-0000-4000-8000-000000000000'
    assert.equal((await admin().open(missing)).status, 404)
  })
})
