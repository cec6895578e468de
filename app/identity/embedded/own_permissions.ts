const RECORDS = {
  realm: 'realms; all but changing the own one needs the master realm',
  user: 'users',
  client: 'clients, with their secrets',
  role: 'roles and who has them',
  permission: 'permissions and who has them',
  scope: 'scopes',
  client_scope: 'the scopes of clients',
  policy: 'policies, of which the embedded provider has none',
  identity_provider: 'identity providers, of which the embedded provider has none',
}
const VERBS = { create: 'Create', read: 'Read', update: 'Change', delete: 'Delete' }

/** Allows users to change their own profile and password. */
export const SELF_MANAGE = 'user_self_manage'

/** The permissions for the provider's records, with descriptions. */
export const OWN_PERMISSION_DESCRIPTIONS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.entries(RECORDS).flatMap(([record, what]) =>
      Object.entries(VERBS).map(([verb, does]) => [`${record}_${verb}`, `${does} ${what}.`])
    )
  ),
  [SELF_MANAGE]: 'Change the own display name, mail address and password.',
}
