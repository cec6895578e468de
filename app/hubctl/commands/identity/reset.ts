import { Command } from 'commander'

import { perform, type Invocation } from '#hubctl/invocation'
import type { Place } from '#hubctl/kinds/find_record'
import { pathOf } from '#hubctl/kinds/kind'
import { realmNames } from '#hubctl/kinds/realm_names'
import { findIn, type RealmOption } from './bearer.js'
import { secretOptions, withNewSecret, type SecretOptions } from './new_secret.js'

/** `reset`: what a user or client logs in with is replaced, and whoever is logged in with it is out. */
export function resetting(place: Place, what: 'password' | 'secret', ending: string): Command {
  const command = new Command('reset')
    .description(`give a ${place.name} another ${what}; ${ending}`)
    .argument(`<${place.name}>`, 'the id or name')
    .option('--realm <realm>', `the realm of the ${place.name}`)
  return secretOptions(command, what).action(
    perform((invocation: Invocation<SecretOptions & RealmOption>, idOrName: string) =>
      reset(invocation, { place, what, idOrName })
    )
  )
}

async function reset(
  invocation: Invocation<SecretOptions & RealmOption>,
  { place, what, idOrName }: { place: Place; what: string; idOrName: string }
): Promise<void> {
  const { options, output } = invocation
  const api = await invocation.api()
  const { id, name, realmId } = await findIn(api, place, idOrName, options)
  const realm = await realmNames(api)
  const path = pathOf(place, id)
  const whose = { id, [place.name]: name, ...(realmId ? { realm: realm(String(realmId)) } : {}) }
  const changed = await withNewSecret(invocation, { what, whose }, (secret) =>
    api.change<object>('POST', place.service, path, { [what]: secret })
  )
  if (changed !== undefined) {
    const where = options.to === undefined ? '' : `, which is in ${options.to}`
    output.done(`The ${place.name} ${name ?? id} has another ${what}${where}`)
  }
}
