import { Command } from 'commander'

import { perform, type Invocation } from '#hubctl/invocation'
import { findRecord, type NamedRecord, type RecordCollection } from '#hubctl/kinds/find_record'
import { ANALYSES, CLIENTS, NODES, PROJECTS, REALMS, USERS } from '#hubctl/kinds/record_collections'
import type { Api } from '#hubctl/platform/api'
import { allOf, readPage } from '#hubctl/platform/pages'

const COUNTED: readonly RecordCollection[] = [USERS, CLIENTS, NODES, PROJECTS, ANALYSES]

export function realmCommand(): Command {
  return new Command('realm')
    .description('inspect realms; hubctl create realm name=… creates one')
    .addCommand(
      new Command('status')
        .description('show the number of records of each kind per realm')
        .argument('[realm]', 'its id or name (default: all)')
        .action(perform(showStatus))
    )
}

async function showStatus(invocation: Invocation, idOrName: string | undefined): Promise<void> {
  const api = await invocation.api()
  const realms =
    idOrName === undefined
      ? await allOf<NamedRecord>(api, REALMS.service, REALMS.path)
      : [await findRecord(api, REALMS, idOrName)]
  const rows = await Promise.all(
    realms.map(async ({ id, name }) => ({ id, name, ...(await countsOf(api, id)) }))
  )
  const columns = ['name', ...COUNTED.map(({ plural }) => plural)]
  invocation.output.records(rows, { kind: REALMS.name, columns })
}

async function countsOf(api: Api, realmId: string): Promise<Record<string, number>> {
  const counts = COUNTED.map(async ({ service, path, plural }): Promise<[string, number]> => {
    const query: [string, string][] = [['filter[realmId]', realmId]]
    const { meta } = await readPage(api, service, path, { query, limit: 1 })
    return [plural, meta.total]
  })
  return Object.fromEntries(await Promise.all(counts))
}
