import { Command } from 'commander'

import { perform, type Invocation } from '#hubctl/invocation'
import { findRecord, type Found, type Place } from '#hubctl/kinds/find_record'
import { pathOf } from '#hubctl/kinds/kind'
import { REALMS } from '#hubctl/kinds/places'
import { changing } from '#hubctl/options'
import type { Api } from '#hubctl/platform/api'

/** Names of users and clients are those of their realm. */
export interface RealmOption {
  readonly realm?: string
}

/** A user or client by its id, or by its name in a realm. */
export async function findIn(
  api: Api,
  place: Place,
  idOrName: string,
  { realm }: RealmOption
): Promise<Found> {
  if (realm === undefined) {
    return findRecord(api, place, idOrName)
  }
  const { id } = await findRecord(api, REALMS, realm)
  return findRecord(api, place, idOrName, { where: `eq(realmId,'${id}')` })
}

/** `disable` and `enable`: who is disabled is out at once. */
export function activatingCommands(place: Place): Command[] {
  return [
    activating(place, 'disable', false, 'can log in no more, and is out'),
    activating(place, 'enable', true, 'can log in again'),
  ]
}

function activating(place: Place, name: string, active: boolean, done: string): Command {
  const command = new Command(name)
    .description(`a ${place.name} ${done}`)
    .argument(`<${place.name}>`, 'its id or name')
    .option('--realm <realm>', `the realm of the ${place.name}`)
  return changing(command).action(
    perform(async (invocation: Invocation<RealmOption>, idOrName: string) => {
      const api = await invocation.api()
      const { id, name: own } = await findIn(api, place, idOrName, invocation.options)
      const path = pathOf(place, id)
      const answer = await api.change<{ data: Found }>('POST', place.service, path, { active })
      if (answer) {
        invocation.output.done(`The ${place.name} ${own ?? id} ${done}`, answer.data, place.name)
      }
    })
  )
}
