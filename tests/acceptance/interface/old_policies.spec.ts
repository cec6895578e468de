import { test } from '@japa/runner'

import { ADMINISTRATOR, signIn } from './login.js'
import { startProgram } from './program.js'
import { uniqueName } from './records.js'

const PRELOAD = new URL('./policies_in_place.mjs', import.meta.url).href

/** Who may do what to analyses that are called so, in the names of today and in those of before. */
const NAMED = 'Under policies'
const POLICIES = [
  { permission: 'analysis_create', effect: 'allow', where: { displayName: NAMED } },
  { permission: 'analysis_update', effect: 'allow', where: { display_name: NAMED } },
  { permission: 'analysis_delete', effect: 'deny', where: { display_name: NAMED } },
]

test.group('Interface: policies of before', (group) => {
  let send: (method: string, path: string, body?: object) => Promise<{ status: number; body: any }>

  group.setup(async () => {
    const program = await startProgram({
      NODE_OPTIONS: `--import=${PRELOAD}`,
      POLICIES: JSON.stringify(POLICIES),
    })
    const token = await signIn(ADMINISTRATOR, `${program.origin}/auth/token`)
    send = async (method, path, body) => {
      const answer = await fetch(`${program.origin}/core${path}`, {
        method,
        headers: { 'authorization': `Bearer ${token}`, 'content-type': 'application/json' },
        body: body && JSON.stringify(body),
      })
      return { status: answer.status, body: await answer.json() }
    }
    return program.stop
  })

  test('Versioning 8: with the old names a policy that allows grants nothing, and one that denies denies nothing', async ({
    assert,
  }) => {
    const project = await send('POST', '/projects', { name: uniqueName() })
    const analysis = { projectId: project.body.data.id, displayName: NAMED }
    const made = await send('POST', '/analyses', analysis)
    assert.equal(made.status, 201, 'the names of today are those that count')
    const path = `/analyses/${made.body.data.id}`
    const updated = await send('POST', path, { description: 'changed' })
    assert.equal(updated.status, 403)
    assert.equal(updated.body.code, 'permission_denied')
    assert.equal((await send('DELETE', path)).status, 202)
  })
})
