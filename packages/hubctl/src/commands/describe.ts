import { Command } from 'commander'

import { perform, type Invocation } from '#hubctl/invocation'
import { findRecord, type NamedRecord } from '#hubctl/kinds/find_record'
import type { Kind } from '#hubctl/kinds/kind'
import { Kinds } from '#hubctl/kinds/kinds'
import { permissionsOfRole } from '#hubctl/kinds/permissions_of_role'
import { ROLES } from '#hubctl/kinds/record_collections'
import { commaList } from '#hubctl/options'
import type { Api } from '#hubctl/platform/api'
import { readPage, type Fields } from '#hubctl/platform/pages'
import { shapeQuery } from './list_options.js'
import { parseOperands, requireNames } from './operands.js'

interface DescribeOptions {
  readonly include?: readonly string[]
  readonly fields?: readonly string[]
}

export function describeCommand(): Command {
  return new Command('describe')
    .description('show all attributes of a record, with the records it refers to')
    .argument('<kind>', 'a kind of record, from hubctl kinds')
    .argument('[names...]', 'ids or names')
    .option('-i, --include <relations>', 'only these relations', commaList)
    .option('--fields <names>', 'show these attributes; +name adds one', commaList)
    .action(perform(describe))
}

async function describe(
  invocation: Invocation<DescribeOptions>,
  kindName: string,
  operands: string[]
): Promise<void> {
  const { options, output } = invocation
  const { kind: name, names: wanted } = parseOperands(kindName, operands)
  requireNames(name, wanted)
  const api = await invocation.api()
  const kind = await new Kinds(api).find(name)
  const { meta } = await readPage(api, kind.service, kind.path, { limit: 1 })
  const include = options.include ?? meta.schema?.relations.allowed ?? []
  const shape = shapeQuery({ ...options, ...(include.length > 0 ? { include } : {}) })
  for (const [index, idOrName] of wanted.entries()) {
    const record = await findRecord(api, kind, idOrName, { shape })
    if (index > 0 && output.isTable) {
      output.line('')
    }
    output.record(
      { ...record, ...(await additionalFields(api, kind, record)) },
      { kind: kind.name }
    )
  }
}

/** Attributes of a record that are stored in other records, such as the permissions of a role. */
async function additionalFields(api: Api, kind: Kind, { id }: NamedRecord): Promise<Fields> {
  if (kind.name !== ROLES.name) {
    return {}
  }
  const permissions = await permissionsOfRole(api, id)
  return { permissions: permissions.map(({ name, description }) => ({ name, description })) }
}
