import { test } from '@japa/runner'

import { ConsoleVisitor, unescaped } from '#tests/helpers/console/console_visitor'
import { HOSTILE } from '#tests/helpers/console/hostile_text'
import { REALMS } from '#tests/helpers/identities'
import { Scene, set } from '#tests/functional/core/analysis_scene'

const admin = () => ConsoleVisitor.as()

test.group('Console | projects', () => {
  test('projects are found by a part of their name, with their size', async ({ assert }) => {
    const scene = await Scene.set()
    await set('projects', scene.project.id, { nodes: 3, analyses: 41, display_name: 'Heart 7%_x' })
    const { text } = await admin().open(`/projects?name=${encodeURIComponent('art 7%_')}`)
    assert.include(text, `/projects/${String(scene.project.id)}"`)
    assert.include(text, '41')
    const other = await admin().open('/projects?name=no-such-name-anywhere')
    assert.include(other.text, 'No project matches, or you may see none.')
  })

  test('one shows its nodes with their decision, and its analyses', async ({ assert }) => {
    const scene = await Scene.set()
    const [approved, rejected, open] = [
      await scene.member('approved'),
      await scene.member('rejected'),
      await scene.member(null),
    ]
    const analysis = await scene.analysis()
    const { status, text } = await admin().open(`/projects/${String(scene.project.id)}`)
    assert.equal(status, 200)
    const states = { Approved: approved, Rejected: rejected, Open: open }
    for (const [state, node] of Object.entries(states)) {
      const row = text.split('<tr>').find((one) => one.includes(`>${String(node!.name)}<`))
      assert.include(row, `>${state}</span>`)
    }
    assert.include(text, `/analyses/${String(analysis.id)}"`)
  })

  test('names, comments and descriptions of others are text', async ({ assert }) => {
    const scene = await Scene.set()
    const node = await scene.member()
    await set('projects', scene.project.id, { display_name: HOSTILE, description: HOSTILE })
    await set('nodes', node.id, { name: HOSTILE })
    const path = `/projects/${String(scene.project.id)}`
    for (const address of [`/projects?name=${encodeURIComponent(HOSTILE)}`, path]) {
      const { status, text } = await admin().open(address)
      assert.equal(status, 200)
      assert.notMatch(text, /<script>alert|<img src=x/, address)
      assert.include(unescaped(text), HOSTILE, address)
    }
  })

  test('members of another realm see what the interface shows them', async ({ assert }) => {
    const scene = await Scene.set()
    const stranger = ConsoleVisitor.as({
      realmId: REALMS.other,
      realmName: 'site',
      permissions: [],
    })
    const { status, text } = await stranger.open(`/projects/${String(scene.project.id)}`)
    assert.equal(status, 200)
    assert.notInclude(text, '<form class="action')
  })

  test('a missing project is not found', async ({ assert }) => {
    const { status } = await admin().open('/projects/99999999-0000-4000-8000-000000000000')
    assert.equal(status, 404)
  })
})
