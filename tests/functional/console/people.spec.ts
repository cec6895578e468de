import { test } from '@japa/runner'

import { consoleSettings } from '#console/console_settings'
import { BUILT_IN_ROLES } from '#identity/embedded/built_in_roles'
import { seedIdentity } from '#identity/embedded/seeds'
import { User } from '#identity/users/user'
import { ConsoleVisitor } from '#tests/helpers/console/console_visitor'
import {
  believeProvider,
  bySecret,
  byPassword,
  introspect,
  make,
  makeClient,
  makeUser,
  PASSWORD,
  unique,
} from '#tests/functional/identity/provider'
import { useSettings } from '#tests/helpers/settings'

const HOSTILE = '"><script>alert(1)</script>'
const READING = ['user_read', 'client_read', 'role_read', 'permission_read']

const administrator = () =>
  ConsoleVisitor.as({ permissions: [...BUILT_IN_ROLES.admin.permissions] })

const reader = () => ConsoleVisitor.as({ permissions: READING })

/** The secret on a page that shows it once. */
const secretOn = (text: string) => /<dd>\s*<code>([\w-]{32})<\/code>/.exec(text)?.[1]

test.group('People', (group) => {
  group.setup(seedIdentity)
  group.setup(() => believeProvider())

  test('users are listed with their realm and state, and found by a part of their name', async ({
    assert,
  }) => {
    const user = await makeUser({ active: false })
    const other = await makeUser()
    const page = await reader().open(`/people?name=${user.name.slice(5)}`)

    assert.equal(page.status, 200)
    assert.include(page.text, user.id)
    assert.include(page.text, 'blocked')
    assert.notInclude(page.text, other.id)
  })

  test('a user shows roles, and permissions with the role that they come from', async ({
    assert,
  }) => {
    const user = await makeUser()
    const role = await make('role', { name: unique('role') })
    const permission = await make('permission', { name: `${unique('do').replaceAll('-', '_')}_it` })
    await make('userRole', { userId: user.id, roleId: role.id })
    await make('rolePermission', { roleId: role.id, permissionId: permission.id })
    const page = await reader().open(`/people/users/${user.id}`)

    assert.include(page.text, `/people/roles/${role.id}`)
    assert.include(page.text, permission.name)
    assert.include(page.text, `by ${role.name}`)
  })

  test('a permission says who has it, directly and by which role', async ({ assert }) => {
    const [user, direct] = [await makeUser(), await makeUser()]
    const client = await makeClient()
    const role = await make('role', { name: unique('role') })
    const permission = await make('permission', { name: `${unique('do').replaceAll('-', '_')}_it` })
    await make('userRole', { userId: user.id, roleId: role.id })
    await make('clientRole', { clientId: client.id, roleId: role.id })
    await make('rolePermission', { roleId: role.id, permissionId: permission.id })
    await make('userPermission', { userId: direct.id, permissionId: permission.id })
    const { text } = await reader().open(`/people/permissions/${permission.id}`)
    const ofRole = await reader().open(`/people/roles/${role.id}`)

    for (const { id } of [user, direct, client, role]) {
      assert.include(text, id)
    }
    assert.include(ofRole.text, user.id)
    assert.include(ofRole.text, client.id)
    assert.notInclude(ofRole.text, direct.id)
  })

  test('blocking a user ends the sign-in, and unblocking allows it again', async ({ assert }) => {
    const user = await makeUser()
    const signIn = () => byPassword({ username: user.name, password: PASSWORD })
    const { body } = await signIn()
    const visitor = administrator()
    const path = `/people/users/${user.id}`
    const page = await visitor.open(path)
    assert.include(page.text, `hubctl user disable ${user.name} --realm master`)
    const blocked = await visitor.submit(page, `${path}/block`, { confirm: user.name })

    assert.equal(blocked.status, 303)
    assert.isFalse((await introspect(body.access_token)).active)
    assert.equal((await signIn()).status, 400)
    const after = await visitor.follow(blocked)
    assert.include(after.text, 'The user is blocked')
    await visitor.submit(after, `${path}/unblock`)
    assert.equal((await signIn()).status, 200)
  })

  test('ending sessions signs the user out everywhere, who may sign in again', async ({
    assert,
  }) => {
    const user = await makeUser()
    const signIn = () => byPassword({ username: user.name, password: PASSWORD })
    const { body } = await signIn()
    const visitor = administrator()
    const path = `/people/users/${user.id}`
    const page = await visitor.open(path)
    assert.include(page.text, 'Open sessions')
    const ended = await visitor.submit(page, `${path}/sessions`)

    assert.equal(ended.status, 303)
    assert.isFalse((await introspect(body.access_token)).active)
    assert.include((await visitor.follow(ended)).text, 'This user is signed in nowhere')
    assert.equal((await signIn()).status, 200)
  })

  test('a new secret is shown once, works at once, and replaces the old one', async ({
    assert,
  }) => {
    const client = await makeClient({ secret: unique('a-first-secret-of-it') })
    const visitor = administrator()
    const path = `/people/clients/${client.id}`
    const page = await visitor.open(path)
    const shown = await visitor.submit(page, `${path}/secret`, { confirm: client.name })
    const secret = secretOn(shown.text)!

    assert.equal(shown.status, 200)
    assert.equal(shown.headers.get('cache-control'), 'private, no-store')
    assert.notInclude(JSON.stringify([...shown.headers, ...visitor.cookies]), secret)
    assert.notInclude((await visitor.open(path)).text, secret)
    const signIn = (client_secret: string) => bySecret({ client_id: client.id, client_secret })
    assert.equal((await signIn(secret)).status, 200)
    assert.isAtLeast((await signIn(client.secret)).status, 400)
  })

  test('the secret of a program of a node is not replaced here', async ({ assert }) => {
    const { id } = await makeUser()
    const client = await makeClient({ name: id, secret: unique('a-first-secret-of-it') })
    const page = await administrator().open(`/people/clients/${client.id}`)

    assert.include(page.text, 'belongs to a node or an analysis')
    assert.notInclude(page.text, `/people/clients/${client.id}/secret`)
  })

  test('a blocked program cannot sign in', async ({ assert }) => {
    const secret = unique('a-first-secret-of-it')
    const client = await makeClient({ secret })
    const visitor = administrator()
    const path = `/people/clients/${client.id}`
    const blocked = await visitor.submit(await visitor.open(path), `${path}/block`, {
      confirm: client.name,
    })
    const signIn = () => bySecret({ client_id: client.id, client_secret: secret })

    assert.isAtLeast((await signIn()).status, 400)
    await visitor.submit(await visitor.follow(blocked), `${path}/unblock`)
    assert.equal((await signIn()).status, 200)
  })

  test('who may only read is offered no action, and each is refused', async ({ assert }) => {
    const user = await makeUser()
    const client = await makeClient({ secret: unique('a-first-secret-of-it') })
    const visitor = reader()
    const pages = [`/people/users/${user.id}`, `/people/clients/${client.id}`]
    for (const path of pages) {
      const page = await visitor.open(path)
      assert.notInclude(page.text, `${path}/block`)
    }
    const actions = {
      [`/people/users/${user.id}/block`]: user.name,
      [`/people/users/${user.id}/unblock`]: user.name,
      [`/people/users/${user.id}/sessions`]: user.name,
      [`/people/clients/${client.id}/secret`]: client.name,
      [`/people/clients/${client.id}/block`]: client.name,
    }
    const page = await visitor.open('/people')
    const [, token = ''] = /name="_token" value="([^"]+)"/.exec(page.text) ?? []
    for (const [path, confirm] of Object.entries(actions)) {
      const refused = await visitor.forge(
        path,
        { _token: token, confirm },
        { 'sec-fetch-site': 'same-origin' }
      )
      assert.equal(refused.status, 403, path)
      assert.match(refused.text, /user_update|client_update/, path)
      const forged = await visitor.forge(path, { confirm })
      assert.include(forged.text, 'The form was refused', path)
    }
    assert.isTrue((await User.findOrFail(user.id)).active)
  })

  test('the page shows names of others as text', async ({ assert }) => {
    const user = await makeUser({ displayName: HOSTILE })
    const role = await make('role', { name: unique('role'), description: HOSTILE })
    const client = await makeClient({ displayName: HOSTILE, description: HOSTILE })
    const visitor = administrator()
    const paths = [
      '/people',
      `/people/users/${user.id}`,
      `/people/roles/${role.id}`,
      `/people/clients/${client.id}`,
      `/people?name=${encodeURIComponent(HOSTILE)}`,
    ]
    for (const path of paths) {
      const { status, text } = await visitor.open(path)
      assert.equal(status, 200, path)
      assert.notInclude(text, '<script>alert', path)
    }
  })

  test('with another identity provider the pages say where accounts are', async ({
    assert,
    cleanup,
  }) => {
    cleanup(useSettings(consoleSettings, { providerUrl: 'https://provider.example/realms/x' }))
    const page = await administrator().open('/people')

    assert.equal(page.status, 200)
    assert.include(page.text, 'https://provider.example')
  })
})
