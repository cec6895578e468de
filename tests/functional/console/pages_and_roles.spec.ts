import { test } from '@japa/runner'

import type { SurfaceName } from '#configuration/surfaces'
import { BUILT_IN_ROLES } from '#identity/embedded/built_in_roles'
import { seedIdentity } from '#identity/embedded/seeds'
import { at } from '#tests/helpers/application'
import { ConsoleVisitor } from '#tests/helpers/console/console_visitor'
import { storedEvent } from '#tests/helpers/console/stored_event'
import { identity, REALMS } from '#tests/helpers/identities'
import { make, makeClient, makeUser, unique } from '#tests/functional/identity/provider'

/** A page, and what the interface answers that it shows the ids of. */
interface CheckedPage {
  readonly path: string
  readonly service: SurfaceName
  readonly source: string
}

interface Records {
  readonly realmId: string
  readonly realmName: string
  readonly user: string
  readonly client: string
  readonly role: string
  readonly permission: string
  readonly event: string
}

let own: Records
let foreign: Records

async function recordsOf(realmId: string, realmName: string): Promise<Records> {
  const user = await makeUser({ realmId })
  const client = await makeClient({ realmId })
  const role = await make('role', { name: unique('role'), realmId })
  const name = `${unique('do').replaceAll('-', '_')}_it`
  const permission = await make('permission', { name, realmId })
  await make('userRole', { userId: user.id, roleId: role.id })
  await make('rolePermission', { roleId: role.id, permissionId: permission.id })
  const event = await storedEvent({ realmId, actorId: user.id })
  return {
    realmId,
    realmName,
    user: user.id,
    client: client.id,
    role: role.id,
    permission: permission.id,
    event: event.id,
  }
}

const LIST = 'include=realm&sort=name&page[limit]=50&page[offset]=0'

/** The pages about the records of a realm. */
const pagesAbout = ({ user, client, role, permission, event }: Records): CheckedPage[] => [
  { path: '/audit', service: 'telemetry', source: '/events/search?limit=50' },
  { path: `/audit?who=${user}`, service: 'telemetry', source: `/events/search?actorId=${user}` },
  { path: `/audit/events/${event}`, service: 'telemetry', source: `/events/${event}` },
  { path: '/people', service: 'identity', source: `/users?${LIST}` },
  { path: '/people/clients', service: 'identity', source: `/clients?${LIST}` },
  { path: '/people/roles', service: 'identity', source: `/roles?${LIST}` },
  { path: '/people/permissions', service: 'identity', source: `/permissions?${LIST}` },
  { path: `/people/users/${user}`, service: 'identity', source: `/users/${user}` },
  { path: `/people/clients/${client}`, service: 'identity', source: `/clients/${client}` },
  { path: `/people/roles/${role}`, service: 'identity', source: `/roles/${role}` },
  {
    path: `/people/permissions/${permission}`,
    service: 'identity',
    source: `/permissions/${permission}`,
  },
  { path: '/system', service: 'core', source: '/admin/status' },
  { path: '/system/dead', service: 'core', source: '/admin/bus/dead' },
]

const HOSPITAL = [
  ...BUILT_IN_ROLES.steward.permissions,
  ...['event_read', 'user_read', 'user_update', 'role_read', 'permission_read'],
]

/** Who may stand before a page. Members are of a hospital's realm. */
const visitors = (): Record<string, ReturnType<typeof identity>> => {
  const member = { realmId: own.realmId, realmName: own.realmName }
  return {
    'a member without permissions': identity({ ...member, permissions: [] }),
    'an analyst': identity({ ...member, permissions: [...BUILT_IN_ROLES.researcher.permissions] }),
    'a hospital administrator': identity({ ...member, permissions: HOSPITAL }),
    'a platform operator': identity({
      realmId: REALMS.master,
      realmName: 'master',
      permissions: [...BUILT_IN_ROLES.admin.permissions],
    }),
  }
}

test.group('Pages and roles', (group) => {
  group.setup(seedIdentity)
  group.setup(async () => {
    const realms = await Promise.all([
      make('realm', { name: unique('own-site') }),
      make('realm', { name: unique('other-site') }),
    ])
    own = await recordsOf(realms[0].id, realms[0].name)
    foreign = await recordsOf(realms[1].id, realms[1].name)
  })

  for (const who of [
    'a member without permissions',
    'an analyst',
    'a hospital administrator',
    'a platform operator',
  ]) {
    test(`${who} sees exactly what the interface answers`, async ({ assert }) => {
      const { token, headers } = visitors()[who]!
      const visitor = new ConsoleVisitor()
      visitor.become({ accessToken: token })
      for (const { path, service, source } of [...pagesAbout(own), ...pagesAbout(foreign)]) {
        const answer = await fetch(at(service, source), { headers })
        const { data } = (await answer.json()) as { data?: { id?: string } | { id: string }[] }
        const page = await visitor.open(path)

        assert.equal(page.status, answer.status, `${path} to ${who}`)
        for (const { id } of [data ?? []].flat()) {
          if (id !== undefined) {
            assert.include(page.text, id, `${path} to ${who}`)
          }
        }
      }
    })

    test(`${who} sees nothing of another realm unless the interface shows it`, async ({
      assert,
    }) => {
      const { token, actor } = visitors()[who]!
      const visitor = new ConsoleVisitor()
      visitor.become({ accessToken: token })
      const { user, client, role, permission, event } = foreign
      const shown = pagesAbout(own).filter(({ path }) => !path.includes(foreign.user))
      const texts = await Promise.all(
        shown.map(async ({ path }) => (await visitor.open(path)).text)
      )
      const isMaster = actor.realmName === 'master'
      for (const id of [user, client, role, permission, event]) {
        assert.isTrue(isMaster || texts.every((text) => !text.includes(id)), `${id} to ${who}`)
      }
    })
  }

  test('pages show nothing without a session', async ({ assert }) => {
    for (const { path } of pagesAbout(own)) {
      const page = await new ConsoleVisitor().open(path)
      assert.equal(page.status, 303, path)
      assert.match(page.location!, /\/sign-in\?to=/, path)
      assert.equal(page.text, '', path)
    }
  })

  test('the areas in the navigation are those that open', async ({ assert }) => {
    for (const [who, { token }] of Object.entries(visitors())) {
      const visitor = new ConsoleVisitor()
      visitor.become({ accessToken: token })
      const { text } = await visitor.open('/')
      for (const path of ['/audit', '/people', '/system']) {
        const { status } = await visitor.open(path)
        if (text.includes(`href="/admin${path}"`)) {
          assert.equal(status, 200, `${path} to ${who}`)
        }
      }
    }
  })
})
