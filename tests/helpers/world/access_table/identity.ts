import {
  all,
  anybody,
  couldGrant,
  either,
  holding,
  inMaster,
  inRealm,
  inRealmOrNone,
  itself,
  loggedInAtProvider,
  noOne,
  user,
  type Rule,
} from '#tests/helpers/world/access_rules'

const own = (permission: string) => all(holding(permission), inRealm)
const visible = (permission: string) => all(holding(permission), inRealmOrNone)
const account = (permission: string) => either(itself, visible(permission))

/** The routes of a kind whose names end with its name: reading with one permission, writing with one each. */
const records = (
  kind: string,
  read: string,
  { create, update, remove }: Readonly<Record<'create' | 'update' | 'remove', string>>
): Record<string, Rule> => ({
  [`list${kind}`]: visible(read),
  [`read${kind}`]: visible(read),
  [`create${kind}`]: own(create),
  [`update${kind}`]: own(update),
  [`delete${kind}`]: own(remove),
})

const verbs = (name: string) => ({
  create: `${name}_create`,
  update: `${name}_update`,
  remove: `${name}_delete`,
})
const assignments = (permission: string) => ({
  create: permission,
  update: permission,
  remove: permission,
})
/** Grants of a permission that a realm made up. */
const grant = (permission: string) => all(holding(permission), couldGrant, inRealm)
const grants = (kind: string, permission: string): Record<string, Rule> => ({
  [`create${kind}`]: grant(permission),
  [`update${kind}`]: grant(permission),
  [`delete${kind}`]: grant(permission),
})

/** Who may use which route of the embedded provider; of lists, whose rows. */
export const IDENTITY: Readonly<Record<string, Rule>> = {
  createToken: anybody,
  introspectToken: anybody,
  revokeToken: anybody,
  readKeys: anybody,
  readRealmKeys: anybody,
  readConfiguration: anybody,
  readRealmConfiguration: anybody,
  showLogin: anybody,
  submitLogin: anybody,
  showAccount: anybody,
  changeAccount: anybody,
  readUserinfo: loggedInAtProvider,
  readMe: user,

  listRealm: anybody,
  readRealm: anybody,
  createRealm: all(holding('realm_create'), inMaster),
  updateRealm: own('realm_update'),
  deleteRealm: all(holding('realm_delete'), inMaster),

  ...records('User', 'user_read', verbs('user')),
  listUser: account('user_read'),
  readUser: account('user_read'),
  updateUser: either(own('user_update'), all(itself, holding('user_self_manage'))),
  listUserSessions: own('user_update'),
  endUserSessions: own('user_update'),
  ...records('Client', 'client_read', verbs('client')),
  listClient: account('client_read'),
  readClient: account('client_read'),
  ...records('Role', 'role_read', verbs('role')),
  ...records('Permission', 'permission_read', verbs('permission')),
  ...records('Scope', 'scope_read', verbs('scope')),
  ...records('UserRole', 'user_read', assignments('user_update')),
  ...records('UserPermission', 'user_read', assignments('user_update')),
  ...records('RolePermission', 'role_read', assignments('role_update')),
  ...records('ClientRole', 'client_read', assignments('client_update')),
  ...records('ClientPermission', 'client_read', assignments('client_update')),
  ...grants('UserPermission', 'user_update'),
  ...grants('RolePermission', 'role_update'),
  ...grants('ClientPermission', 'client_update'),
  ...records('ClientScope', 'client_scope_read', verbs('client_scope')),

  listPolicy: visible('policy_read'),
  readPolicy: visible('policy_read'),
  refusePolicy: noOne,
  listIdentityProvider: visible('identity_provider_read'),
  readIdentityProvider: visible('identity_provider_read'),
  refuseIdentityProvider: noOne,
}
