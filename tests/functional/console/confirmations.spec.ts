import { globSync, readFileSync } from 'node:fs'

import { test } from '@japa/runner'

import { BUILT_IN_ROLES } from '#identity/embedded/built_in_roles'
import { seedIdentity } from '#identity/embedded/seeds'
import { Client } from '#identity/clients/client'
import { User } from '#identity/users/user'
import { clock } from '#kernel/clock'
import { call, member, newRealm } from '#tests/functional/core/node_scene'
import { believeProvider, makeClient, makeUser, unique } from '#tests/functional/identity/provider'
import { ConsoleVisitor } from '#tests/helpers/console/console_visitor'

/** Something with an action that asks for its name. */
interface Subject {
  readonly visitor: ConsoleVisitor
  readonly page: string
  readonly action: string
  readonly name: string
  /** What the action changes. */
  readonly state: () => Promise<unknown>
}

const administrator = () =>
  ConsoleVisitor.as({ permissions: [...BUILT_IN_ROLES.admin.permissions] })

async function stateOfClient(id: string) {
  const { active, tokenGeneration } = await Client.findOrFail(id)
  return { active, tokenGeneration }
}

async function aNode(): Promise<Subject> {
  const realmId = await newRealm()
  const { headers, token } = member(realmId, ['node_create', 'node_update'])
  const name = `node-${clock.uuid().slice(0, 8)}`
  const { body } = await call('POST', '/nodes', { headers, body: { name, realmId } })
  const { id, clientId } = body.data
  const visitor = new ConsoleVisitor()
  visitor.become({ accessToken: token })
  const page = `/nodes/${id}`
  return { visitor, page, action: `${page}/secret`, name, state: () => stateOfClient(clientId) }
}

async function aClient(action: string): Promise<Subject> {
  const { id, name } = await makeClient({ secret: unique('a-first-secret-of-it') })
  const page = `/people/clients/${id}`
  const state = () => stateOfClient(id)
  return { visitor: administrator(), page, action: `${page}/${action}`, name, state }
}

async function aUser(): Promise<Subject> {
  const { id, name } = await makeUser()
  const page = `/people/users/${id}`
  const state = async () => (await User.findOrFail(id)).active
  return { visitor: administrator(), page, action: `${page}/block`, name, state }
}

const ACTIONS = [
  { title: 'replacing the secret of a node', make: aNode },
  { title: 'replacing the secret of a program', make: () => aClient('secret') },
  { title: 'blocking a program', make: () => aClient('block') },
  { title: 'blocking a user', make: aUser },
]

test.group('Actions that ask for a name', (group) => {
  group.setup(seedIdentity)
  group.setup(() => believeProvider())

  test('change nothing with another one, and lead back with a notice: {title}')
    .with(ACTIONS)
    .run(async ({ assert }, { make }) => {
      const { visitor, page, action, name, state } = await make()
      const before = await state()
      for (const fields of [{}, { confirm: '' }, { confirm: `${name}x` }] as Record<
        string,
        string
      >[]) {
        const wrong = await visitor.submit(await visitor.open(page), action, fields)
        assert.equal(wrong.status, 303)
        assert.isTrue(wrong.location!.endsWith(page), wrong.location)
        const shown = await visitor.follow(wrong)
        assert.include(shown.text, 'Nothing was changed: the name did not match.')
        assert.deepEqual(await state(), before)
      }
    })

  test('confirmed actions are done with the right one: {title}')
    .with(ACTIONS)
    .run(async ({ assert }, { make }) => {
      const { visitor, page, action, name, state } = await make()
      const before = await state()
      const done = await visitor.submit(await visitor.open(page), action, { confirm: name })
      assert.include([200, 303], done.status)
      assert.notDeepEqual(await state(), before)
    })

  test('confirmed actions are all among these', ({ assert }) => {
    const views = new URL('../../../resources/views/', import.meta.url)
    const asking = globSync('pages/**/*.edge', { cwd: views }).flatMap(
      (path) => readFileSync(new URL(path, views), 'utf8').match(/^\s+confirm:/gm) ?? []
    )
    assert.lengthOf(asking, ACTIONS.length)
  })
})
