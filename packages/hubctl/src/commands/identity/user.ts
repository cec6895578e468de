import { Command } from 'commander'

import { perform, type Invocation } from '#hubctl/invocation'
import { findRecord, type NamedRecord } from '#hubctl/kinds/find_record'
import { REALMS, ROLES, USERS } from '#hubctl/kinds/record_collections'
import { collect } from '#hubctl/options'
import { readCaller } from '#hubctl/platform/caller'
import { activationCommands, type RealmOption } from './activation.js'
import { grantCommands } from './grants.js'
import { withSecretOptions, withNewSecret, type SecretOptions } from './new_secret.js'
import { resetCommand } from './reset.js'
import { sessionCommands } from './sessions.js'

interface InviteOptions extends RealmOption, SecretOptions {
  readonly email?: string
  readonly displayName?: string
  readonly role?: readonly string[]
}

export function userCommand(): Command {
  const command = new Command('user')
    .description('manage users of the embedded identity provider')
    .addCommand(
      withSecretOptions(
        new Command('invite')
          .description('create a user with an initial password, to be changed at /auth/account/')
          .argument('<name>', 'the login name')
          .option('--realm <realm>', 'the realm (default: yours)')
          .option('--email <address>', 'the email address')
          .option('--display-name <name>', 'the display name')
          .option('--role <role>', 'a role of the user; repeatable', collect),
        'password'
      ).action(perform(invite))
    )
    .addCommand(resetCommand(USERS, 'password', 'sessions end'))
  const more = [...activationCommands(USERS), ...sessionCommands(), ...grantCommands(USERS)]
  more.forEach((one) => command.addCommand(one))
  return command
}

/** The password is stored before roles are granted, so that the user can log in even if a grant fails. */
async function invite(invocation: Invocation<InviteOptions>, name: string): Promise<void> {
  const { options, output } = invocation
  const { email, displayName, realm, role = [] } = options
  const api = await invocation.api()
  const owner = realm === undefined ? undefined : await findRecord(api, REALMS, realm)
  const roles = await Promise.all(role.map((one) => findRecord(api, ROLES, one)))
  const known = { name, email, displayName, realmId: owner?.id }
  const caller = owner ? undefined : await readCaller(api)
  const secretOwner = { user: name, realm: owner?.name ?? caller?.realm ?? null }
  const created = await withNewSecret(
    invocation,
    { what: 'password', whose: secretOwner },
    (password) =>
      api.change<{ data: NamedRecord }>('POST', USERS.service, USERS.path, { ...known, password })
  )
  if (created) {
    const where = options.to === undefined ? '' : `; the password is in ${options.to}`
    output.done(`The user ${name} was created${where}`, created.data, USERS.name)
  }
  for (const { id } of roles) {
    const body = { userId: created?.data.id ?? null, roleId: id }
    await api.change('POST', USERS.service, '/user-roles', body)
  }
}
