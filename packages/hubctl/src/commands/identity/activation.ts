import { Command } from 'commander'

import { perform, type Invocation } from '#hubctl/invocation'
import { findRecord, type NamedRecord, type RecordCollection } from '#hubctl/kinds/find_record'
import { pathOf } from '#hubctl/kinds/kind'
import { REALMS } from '#hubctl/kinds/record_collections'
import { withDryRun } from '#hubctl/options'
import type { Api } from '#hubctl/platform/api'

/** Names of users and clients are unique only within their realm. */
export interface RealmOption {
  readonly realm?: string
}

/** Finds a user or client by id, or by name within a realm. */
export async function findInRealm(
  api: Api,
  collection: RecordCollection,
  idOrName: string,
  { realm }: RealmOption
): Promise<NamedRecord> {
  if (realm === undefined) {
    return findRecord(api, collection, idOrName)
  }
  const { id } = await findRecord(api, REALMS, realm)
  return findRecord(api, collection, idOrName, { where: `eq(realmId,'${id}')` })
}

/** The commands `disable` and `enable`. Disabling ends sessions at once. */
export function activationCommands(collection: RecordCollection): Command[] {
  return [
    activationCommand(collection, 'disable', false, 'can no longer log in, and its sessions end'),
    activationCommand(collection, 'enable', true, 'can log in again'),
  ]
}

function activationCommand(
  collection: RecordCollection,
  name: string,
  active: boolean,
  outcome: string
): Command {
  const command = new Command(name)
    .description(`a ${collection.name} ${outcome}`)
    .argument(`<${collection.name}>`, 'its id or name')
    .option('--realm <realm>', `the realm of the ${collection.name}`)
  return withDryRun(command).action(
    perform(async (invocation: Invocation<RealmOption>, idOrName: string) => {
      const api = await invocation.api()
      const { id, name: recordName } = await findInRealm(
        api,
        collection,
        idOrName,
        invocation.options
      )
      const path = pathOf(collection, id)
      const answer = await api.change<{ data: NamedRecord }>('POST', collection.service, path, {
        active,
      })
      if (answer) {
        invocation.output.done(
          `The ${collection.name} ${recordName ?? id} ${outcome}`,
          answer.data,
          collection.name
        )
      }
    })
  )
}
