import { Command } from 'commander'

import { perform, type Invocation } from '#hubctl/invocation'
import type { RecordCollection } from '#hubctl/kinds/find_record'
import { pathOf } from '#hubctl/kinds/kind'
import { realmNames } from '#hubctl/kinds/realm_names'
import { findInRealm, type RealmOption } from './activation.js'
import { withSecretOptions, withNewSecret, type SecretOptions } from './new_secret.js'

/** The command `reset`: replaces a password or secret and ends the sessions that used it. */
export function resetCommand(
  collection: RecordCollection,
  what: 'password' | 'secret',
  ending: string
): Command {
  const command = new Command('reset')
    .description(`replace the ${what} of a ${collection.name}; ${ending}`)
    .argument(`<${collection.name}>`, 'the id or name')
    .option('--realm <realm>', `the realm of the ${collection.name}`)
  return withSecretOptions(command, what).action(
    perform((invocation: Invocation<SecretOptions & RealmOption>, idOrName: string) =>
      reset(invocation, { place: collection, what, idOrName })
    )
  )
}

async function reset(
  invocation: Invocation<SecretOptions & RealmOption>,
  { place: collection, what, idOrName }: { place: RecordCollection; what: string; idOrName: string }
): Promise<void> {
  const { options, output } = invocation
  const api = await invocation.api()
  const { id, name, realmId } = await findInRealm(api, collection, idOrName, options)
  const realm = await realmNames(api)
  const path = pathOf(collection, id)
  const owner = {
    id,
    [collection.name]: name,
    ...(realmId ? { realm: realm(String(realmId)) } : {}),
  }
  const changed = await withNewSecret(invocation, { what, whose: owner }, (secret) =>
    api.change<object>('POST', collection.service, path, { [what]: secret })
  )
  if (changed !== undefined) {
    const where = options.to === undefined ? '' : `, stored in ${options.to}`
    output.done(`The ${collection.name} ${name ?? id} has a new ${what}${where}`)
  }
}
