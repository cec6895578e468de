import { test } from '@japa/runner'

import { clientPermission } from '#identity/client_permissions/client_permission'
import { clientRole } from '#identity/client_roles/client_role'
import { client } from '#identity/clients/client'
import { storedSecret } from '#identity/embedded/client_secrets'
import { identityPool } from '#identity/embedded/database'
import { seedIdentity } from '#identity/embedded/seeds'
import { permission } from '#identity/permissions/permission'
import { realm } from '#identity/realms/realm'
import { rolePermission } from '#identity/role_permissions/role_permission'
import { role } from '#identity/roles/role'
import { userPermission } from '#identity/user_permissions/user_permission'
import { userRole } from '#identity/user_roles/user_role'
import { user } from '#identity/users/user'
import type { Kind } from '#records/kind'
import type { Attributes } from '#records/row'
import { clock } from '#kernel/clock'
import { at } from '#tests/helpers/application'
import { identity } from '#tests/helpers/identities'
import { sampleRecord } from '#tests/helpers/sample_records'
import { pidOf, untilBlocking } from '#tests/helpers/database/blocked_sessions'

type Person = ReturnType<typeof identity>

const SECRET = 'a secret that only its equals see'

/** What readers hold, beside the permission to do everything to records of the provider. */
const EQUAL = 'node_update'
const GIVEN = 'log_read'
const MORE = 'registry_manage'
const VERBS = ['user', 'client', 'role'].flatMap((name) =>
  ['read', 'update', 'delete'].map((verb) => `${name}_${verb}`)
)
const READER = [...VERBS, EQUAL, GIVEN, 'realm_delete']

const HOLDERS = {
  user: { kind: user, permissions: userPermission.kind, roles: userRole.kind },
  client: { kind: client, permissions: clientPermission.kind, roles: clientRole.kind },
  role: { kind: role, permissions: rolePermission.kind, roles: undefined },
} as const
type Holder = keyof typeof HOLDERS

/** What a target holds, and how. */
const STRENGTHS = [
  ['holds nothing', { own: [], byRole: [] }, true],
  ['holds as much', { own: [EQUAL], byRole: [GIVEN] }, true],
  ['holds more', { own: [EQUAL, MORE], byRole: [] }, false],
  ['holds more by a role', { own: [], byRole: [EQUAL, MORE] }, false],
] as const
type Strength = (typeof STRENGTHS)[number][1]

/** Where a reader is from, and whether that alone keeps it from the target. */
const READERS = [
  ['a member of its realm', 'site', 'site', true],
  ['a member of another realm', 'away', 'site', false],
  ['a member of the master realm', 'master', 'site', true],
  ['a member of its realm, with the same names, of master', 'site', 'master', false],
] as const

/** What is sent for attributes that take more than any text. */
const SENT: Attributes = {
  name: 'renamed',
  secret: 'b-secret-of-somebody-else',
  password: 'b-password-of-somebody-else',
  email: 'b@elsewhere.test',
  redirectUri: 'https://elsewhere.test/callback',
  authMethod: 'secret',
  tokenBindingMethod: 'none',
}

async function ask(by: Person, method: string, path: string, body?: object) {
  const response = await fetch(at('identity', path), {
    method,
    headers: { ...by.headers, 'content-type': 'application/json' },
    body: body && JSON.stringify(body),
  })
  return { status: response.status, body: (await response.json()) as any }
}

async function idOf(table: 'permissions' | 'realms', name: string): Promise<string> {
  const { rows } = await identityPool().query<{ id: string }>(
    `select id from ${table} where name = $1`,
    [name]
  )
  return rows[0]!.id
}

async function give(kind: Kind, owner: string, ownerId: string, given: string, givenId: string) {
  const pair = { [`${owner}Id`]: ownerId, [`${given}Id`]: givenId }
  const { rows } = await identityPool().query<{ realm_id: string | null }>(
    `select realm_id from ${owner}s where id = $1`,
    [ownerId]
  )
  const realms = { [`${owner}RealmId`]: rows[0]!.realm_id, [`${given}RealmId`]: rows[0]!.realm_id }
  return sampleRecord('identity', kind, { ...pair, ...realms })
}

async function target(holder: Holder, realmId: string, { own, byRole }: Strength) {
  const { kind, permissions, roles } = HOLDERS[holder]
  const given = holder === 'client' ? await storedSecret(SECRET) : {}
  const made = await sampleRecord('identity', kind, { ...given, realmId })
  const id = made.id as string
  for (const name of roles ? own : [...own, ...byRole]) {
    await give(permissions, holder, id, 'permission', await idOf('permissions', name))
  }
  if (roles) {
    const assigned = await sampleRecord('identity', role, { realmId })
    for (const name of byRole) {
      await give(
        rolePermission.kind,
        'role',
        assigned.id as string,
        'permission',
        await idOf('permissions', name)
      )
    }
    await give(roles, holder, id, 'role', assigned.id as string)
  }
  return id
}

const fieldsOf = ({ updateBody }: Kind) => {
  const { properties } = updateBody!.jsonSchema() as unknown as {
    properties: Record<string, { type?: string | string[]; format?: string }>
  }
  return Object.entries(properties).map(([name, { type, format }]): [string, unknown] => {
    if (name in SENT) {
      return [name, name === 'name' ? `renamed-${clock.uuid().slice(0, 8)}` : SENT[name]]
    }
    if ([type].flat().includes('boolean')) {
      return [name, false]
    }
    return [name, format === 'uuid' ? clock.uuid() : 'https://elsewhere.test/']
  })
}

/** Everything that can be asked for with a secret in it, and what may follow from it. */
const waysToSecret = (id: string) => [
  `/clients/${id}?fields=%2Bsecret`,
  `/clients/${id}?fields=secret`,
  `/clients?filter[id]=${id}&fields=%2Bsecret`,
  `/clients?filter[id]=${id}&fields=id,secret`,
  `/client-permissions?filter[clientId]=${id}&include=client&fields[client]=%2Bsecret`,
  `/client-roles?filter[clientId]=${id}&include=client&fields[client]=id,secret`,
]

/**
 * Who may do something to whom, at the embedded provider: every verb and attribute of everything that holds permissions, by what
 * reader and target hold and where they are from.
 */
export function strengthMatrix(): void {
  test.group('Strength matrix', (group) => {
    let realms: Record<'site' | 'away' | 'master', string>

    group.setup(async () => {
      await seedIdentity()
      const [site, away] = await Promise.all(
        [1, 2].map(async () => (await sampleRecord('identity', realm)).id as string)
      )
      realms = { site: site!, away: away!, master: await idOf('realms', 'master') }
    })

    const reader = (from: keyof typeof realms, permissions = READER) =>
      identity({ realmId: realms[from], realmName: from, permissions: [...permissions] })

    for (const holder of Object.keys(HOLDERS) as Holder[]) {
      for (const [who, from, where, isNear] of READERS) {
        for (const [holds, strength, isWeaker] of STRENGTHS) {
          const may = isNear && isWeaker
          test(`${who} ${may ? 'changes' : 'does not change'} a ${holder} that ${holds}`, async ({
            assert,
          }) => {
            const by = reader(from)
            const { kind, permissions } = HOLDERS[holder]
            const id = await target(holder, realms[where], strength)
            const path = `${kind.collection}/${id}`
            for (const [name, value] of fieldsOf(kind)) {
              const { status, body } = await ask(by, 'POST', path, { [name]: value })
              assert.equal(status, may ? 202 : 403, `${name}: ${JSON.stringify(body)}`)
              const secrets = [SECRET, SENT.secret, SENT.password] as string[]
              secrets.forEach((secret) => assert.notInclude(JSON.stringify(body), secret))
            }
            assert.equal((await ask(by, 'POST', path, {})).status, may ? 202 : 403)

            const body = {
              [`${holder}Id`]: id,
              permissionId: await idOf('permissions', GIVEN),
            }
            await identityPool().query(
              `delete from ${permissions.table} where ${holder}_id = $1 and permission_id = $2`,
              [id, body.permissionId]
            )
            const given = await ask(by, 'POST', permissions.collection, body)
            assert.equal(given.status, may ? 201 : 403, JSON.stringify(given.body))
            const { id: grantId } = may
              ? given.body.data
              : await give(permissions, holder, id, 'permission', body.permissionId)
            const grant = `${permissions.collection}/${grantId}`
            const policy = { policyId: clock.uuid() }
            assert.equal((await ask(by, 'POST', grant, policy)).status, may ? 202 : 403)
            assert.equal((await ask(by, 'DELETE', grant)).status, may ? 202 : 403)
            const more = { ...body, permissionId: await idOf('permissions', MORE) }
            const tooMuch = await ask(by, 'POST', permissions.collection, more)
            assert.equal(tooMuch.status, 403, 'nobody gives what it does not hold')
            assert.equal((await ask(by, 'DELETE', path)).status, may ? 202 : 403)
          }).timeout(60_000)
        }
      }
    }

    for (const [who, from, where, isNear] of READERS) {
      for (const [holds, strength, isWeaker] of STRENGTHS) {
        const may = isNear && isWeaker
        test(`${who} ${may ? 'reads' : 'does not read'} the secret of a client that ${holds}`, async ({
          assert,
        }) => {
          const id = await target('client', realms[where], strength)
          for (const permissions of [['client_read'], ['client_update', 'client_read']]) {
            const by = reader(from, [...permissions, EQUAL, GIVEN])
            for (const path of waysToSecret(id)) {
              const { body } = await ask(by, 'GET', path)
              const hasGrant = !path.startsWith('/client-permissions') || strength.own.length > 0
              assert.equal(JSON.stringify(body).includes(SECRET), may && hasGrant, path)
            }
            const all = await ask(by, 'GET', `/clients?filter[id]=${id}`)
            for (const query of [`filter[secret]=${SECRET}`, 'sort=secret', 'sort=-secret']) {
              const { body } = await ask(by, 'GET', `/clients?filter[id]=${id}&${query}`)
              assert.equal(body.meta.total, all.body.meta.total, query)
              assert.notInclude(JSON.stringify(body), SECRET)
            }
          }
        }).timeout(60_000)
      }
    }

    for (const [what, named] of [
      ['of a record', () => clock.uuid()],
      ['of no record', () => `robot-${clock.uuid().slice(0, 8)}`],
    ] as const) {
      const isOfRecord = what === 'of a record'
      test(`a client, whatever it holds, ${isOfRecord ? 'does not become' : 'reads and changes'} one ${what}; people and clients of master do`, async ({
        assert,
      }) => {
        const machine = (from: keyof typeof realms, traits: object = {}) =>
          identity({
            kind: 'client',
            realmId: realms[from],
            realmName: from,
            permissions: READER,
            ...traits,
          })
        for (const [by, may] of [
          [machine('site'), !isOfRecord],
          [machine('master', { name: clock.uuid() }), !isOfRecord],
          [machine('master'), true],
          [reader('site'), true],
        ] as const) {
          const stored = await storedSecret(SECRET)
          const given = { ...stored, name: named(), realmId: realms.site }
          const { id } = await sampleRecord('identity', client, given)
          for (const path of waysToSecret(id as string)) {
            const { body } = await ask(by, 'GET', path)
            const isShown = JSON.stringify(body).includes(SECRET)
            assert.isTrue(may ? isShown || path.includes('include') : !isShown, path)
          }
          for (const [name, value] of fieldsOf(client)) {
            const { status } = await ask(by, 'POST', `/clients/${id}`, { [name]: value })
            if (!may) {
              assert.equal(status, 403, name)
            }
          }
          const { status } = await ask(by, 'POST', `/clients/${id}`, { description: 'changed' })
          assert.equal(status, may ? 202 : 403)
        }
        const id = clock.uuid()
        const itself = machine('site', { id, permissions: [] })
        const own = { ...(await storedSecret(SECRET)), name: clock.uuid(), realmId: realms.site }
        await sampleRecord('identity', client, { ...own, id })
        const { body } = await ask(itself, 'GET', `/clients/${id}?fields=%2Bsecret`)
        assert.equal(body.data.secret, SECRET)
      })
    }

    test('clients and users see and change themselves, whatever they may do by now', async ({
      assert,
    }) => {
      const strength = STRENGTHS[2][1]
      const id = await target('client', realms.site, strength)
      const traits = { kind: 'client', id, realmId: realms.site, realmName: 'site' } as const
      const itself = identity({ ...traits, permissions: [] })
      const { body } = await ask(itself, 'GET', `/clients/${id}?fields=%2Bsecret`)
      assert.equal(body.data.secret, SECRET)
      const manager = identity({ ...traits, permissions: ['client_update'] })
      assert.equal((await ask(manager, 'POST', `/clients/${id}`, { baseUrl: 'x' })).status, 202)
      const userId = await target('user', realms.site, strength)
      const person = identity({
        id: userId,
        realmId: realms.site,
        realmName: 'site',
        permissions: ['user_self_manage'],
      })
      const change = { password: 'a password of my own', displayName: 'Me' }
      assert.equal((await ask(person, 'POST', `/users/${userId}`, change)).status, 202)
    })

    for (const name of ['system', 'registry']) {
      test(`${name} is changed and read only by callers with every permission`, async ({
        assert,
      }) => {
        const { rows } = await identityPool().query<{ id: string; name: string; row: string }>(
          'select id, c::text as row from clients c where name = $1 and built_in',
          [name]
        )
        const { id, row } = rows[0]!
        const all = (
          await identityPool().query<{ name: string }>(
            'select name from permissions where built_in'
          )
        ).rows.map((permissionRow) => permissionRow.name)
        for (const permissions of [
          ['client_update', 'client_read', 'client_delete'],
          all.filter((assigned) => assigned !== MORE),
        ]) {
          const by = reader('master', permissions)
          for (const [field, value] of fieldsOf(client)) {
            const { status } = await ask(by, 'POST', `/clients/${id}`, { [field]: value })
            assert.equal(status, 403, field)
          }
          assert.include([400, 403], (await ask(by, 'DELETE', `/clients/${id}`)).status)
          const { body } = await ask(by, 'GET', `/clients/${id}?fields=%2Bsecret`)
          assert.equal(body.data.id, id)
          assert.notProperty(body.data, 'secret')
        }
        const after = await identityPool().query(
          'select c::text as row from clients c where id = $1',
          [id]
        )
        assert.equal(after.rows[0].row, row)
        const { body } = await ask(reader('master', all), 'GET', `/clients/${id}?fields=%2Bsecret`)
        assert.property(body.data, 'secret')
      })
    }

    test('a permission is changed by who holds it, or makes up those of its realm', async ({
      assert,
    }) => {
      const verbs = ['permission_read', 'permission_update', 'permission_delete']
      const builtIn = `/permissions/${await idOf('permissions', MORE)}`
      const label = { displayName: null }
      assert.equal((await ask(reader('master', verbs), 'POST', builtIn, label)).status, 403)
      for (const [name, value] of fieldsOf(permission)) {
        const { status } = await ask(reader('master', verbs), 'POST', builtIn, { [name]: value })
        assert.equal(status, 403, name)
      }
      const holding = reader('master', [...verbs, MORE])
      assert.equal((await ask(holding, 'POST', builtIn, label)).status, 202)
      assert.equal(
        (await ask(reader('site', [...verbs, MORE]), 'POST', builtIn, label)).status,
        403
      )
      for (const [permissions, from, status] of [
        [verbs, 'site', 403],
        [[...verbs, 'permission_create'], 'away', 403],
        [[...verbs, 'permission_create'], 'site', 202],
        [[...verbs, 'permission_create'], 'master', 202],
      ] as const) {
        const made = await sampleRecord('identity', permission, { realmId: realms.site })
        const path = `/permissions/${made.id}`
        const by = reader(from, permissions as string[])
        for (const [name, value] of fieldsOf(permission)) {
          assert.equal((await ask(by, 'POST', path, { [name]: value })).status, status, name)
        }
        assert.equal((await ask(by, 'DELETE', path)).status, status)
      }
    })

    test('a realm is deleted by no caller that holds less than one of its users', async ({
      assert,
    }) => {
      for (const holder of Object.keys(HOLDERS) as Holder[]) {
        for (const [holds, strength, isWeaker] of STRENGTHS) {
          const { id } = await sampleRecord('identity', realm)
          await target(holder, id as string, strength)
          const { status } = await ask(reader('master'), 'DELETE', `/realms/${id}`)
          assert.equal(status, isWeaker ? 202 : 403, `${holder} ${holds}`)
        }
      }
    }).timeout(60_000)

    for (const holder of ['user', 'client', 'role'] as const) {
      for (const way of holder === 'role'
        ? (['itself'] as const)
        : (['itself', 'a role'] as const)) {
        test(`a grant to ${way} that is on its way counts against who changes a ${holder}`, async ({
          assert,
        }) => {
          const { kind, permissions, roles } = HOLDERS[holder]
          const id = await target(holder, realms.site, STRENGTHS[0][1])
          const assigned = roles && (await sampleRecord('identity', role, { realmId: realms.site }))
          if (roles) {
            await give(roles, holder, id, 'role', assigned!.id as string)
          }
          const [table, owner, ownerId] =
            way === 'itself'
              ? [permissions.table, holder, id]
              : ['role_permissions', 'role', assigned!.id as string]
          const connection = await identityPool().connect()
          try {
            await connection.query('begin')
            await connection.query(
              `insert into ${table} (id, ${owner}_id, permission_id) values ($1, $2, $3)`,
              [clock.uuid(), ownerId, await idOf('permissions', MORE)]
            )
            const change = ask(reader('site'), 'POST', `${kind.collection}/${id}`, {
              displayName: 'taken over',
            })
            await untilBlocking(identityPool(), await pidOf(connection))
            await connection.query('commit')
            assert.equal((await change).status, 403)
          } finally {
            connection.release()
          }
        })
      }
    }
  })
}
