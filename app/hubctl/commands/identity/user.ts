import { Command } from 'commander'

import { perform, type Invocation } from '#hubctl/invocation'
import { findRecord, type Found } from '#hubctl/kinds/find_record'
import { REALMS, ROLES, USERS } from '#hubctl/kinds/places'
import { gathered } from '#hubctl/options'
import { whoIs } from '#hubctl/platform/who'
import { activatingCommands, type RealmOption } from './bearer.js'
import { grantCommands } from './grants.js'
import { secretOptions, withNewSecret, type SecretOptions } from './new_secret.js'
import { resetting } from './reset.js'

interface InviteOptions extends RealmOption, SecretOptions {
  readonly email?: string
  readonly displayName?: string
  readonly role?: readonly string[]
}

export function userCommand(): Command {
  const command = new Command('user')
    .description('look after people at the embedded identity provider')
    .addCommand(
      secretOptions(
        new Command('invite')
          .description('make a user with a first password, to be changed by them at /auth/account/')
          .argument('<name>', 'what they log in as')
          .option('--realm <realm>', 'their realm (default: yours)')
          .option('--email <address>', 'their address')
          .option('--display-name <name>', 'what they are called')
          .option('--role <role>', 'a role they get; may be said several times', gathered),
        'password'
      ).action(perform(invite))
    )
    .addCommand(resetting(USERS, 'password', 'sessions end'))
  const more = [...activatingCommands(USERS), ...grantCommands(USERS)]
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
  const who = owner ? undefined : await whoIs(api)
  const whose = { user: name, realm: owner?.name ?? who?.realm ?? null }
  const made = await withNewSecret(invocation, { what: 'password', whose }, (password) =>
    api.change<{ data: Found }>('POST', USERS.service, USERS.path, { ...known, password })
  )
  if (made) {
    const where = options.to === undefined ? '' : `; the password is in ${options.to}`
    output.done(`The user ${name} was made${where}`, made.data, USERS.name)
  }
  for (const { id } of roles) {
    const body = { userId: made?.data.id ?? null, roleId: id }
    await api.change('POST', USERS.service, '/user-roles', body)
  }
}
