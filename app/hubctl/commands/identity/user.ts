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

interface InviteOptions extends RealmOption, SecretOptions {
  readonly email?: string
  readonly displayName?: string
  readonly role?: readonly string[]
}

export function userCommand(): Command {
  const command = new Command('user')
    .description('look after people at the embedded identity provider')
    .addCommand(
      withSecretOptions(
        new Command('invite')
          .description('make a user with a first password, to be changed by them at /auth/account/')
          .argument('<name>', 'what they log in as')
          .option('--realm <realm>', 'their realm (default: yours)')
          .option('--email <address>', 'their address')
          .option('--display-name <name>', 'what they are called')
          .option('--role <role>', 'a role they get; may be said several times', collect),
        'password'
      ).action(perform(invite))
    )
    .addCommand(resetCommand(USERS, 'password', 'sessions end'))
  const more = [...activationCommands(USERS), ...grantCommands(USERS)]
  more.forEach((one) => command.addCommand(one))
  return command
}

/** The password is written down before roles are given: somebody who lacks one can still log in. */
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
    output.done(`The user ${name} was made${where}`, created.data, USERS.name)
  }
  for (const { id } of roles) {
    const body = { userId: created?.data.id ?? null, roleId: id }
    await api.change('POST', USERS.service, '/user-roles', body)
  }
}
