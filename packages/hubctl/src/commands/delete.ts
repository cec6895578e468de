import { Command } from 'commander'

import { perform, type Invocation } from '#hubctl/invocation'
import { findRecord, type NamedRecord } from '#hubctl/kinds/find_record'
import { pathOf } from '#hubctl/kinds/kind'
import { Kinds } from '#hubctl/kinds/kinds'
import { withConfirmation } from '#hubctl/options'
import { requireConfirmation } from '#hubctl/output/prompts'
import { UsageProblem } from '#hubctl/problem'
import { parseOperands, requireNames } from './operands.js'

export function deleteCommand(): Command {
  const command = new Command('delete')
    .description('delete records, and the records that depend on them')
    .argument('<kind>', 'a kind of record, from hubctl kinds')
    .argument('[names...]', 'ids or names')
    .option('--force', 'even if others use it, such as a master image of analyses')
  return withConfirmation(command).action(perform(remove))
}

async function remove(
  invocation: Invocation<{ yes?: boolean; force?: boolean }>,
  kindName: string,
  operands: string[]
): Promise<void> {
  const { options, output } = invocation
  const { kind: name, names: wanted } = parseOperands(kindName, operands)
  requireNames(name, wanted)
  const api = await invocation.api()
  const kind = await new Kinds(api).find(name)
  if (!kind.isRemovable) {
    throw new UsageProblem(
      `A ${kind.name} cannot be deleted on its own.`,
      'See which kinds can: hubctl kinds'
    )
  }
  if (options.force && !kind.isForcible) {
    throw new UsageProblem(`--force has no effect on a ${kind.name}.`, 'Omit it.')
  }
  const found = await Promise.all(wanted.map((one) => findRecord(api, kind, one)))
  const recordNames = found.map((record) => record.name ?? record.id).join(', ')
  await requireConfirmation(
    `Delete the ${found.length === 1 ? kind.name : kind.plural} ${recordNames}?`,
    {
      yes: Boolean(options.yes) || api.isPlanning,
    }
  )
  for (const { id, name: own } of found) {
    const path = pathOf(kind, id) + (options.force ? '?force=true' : '')
    const deleted = await api.change<{ data: NamedRecord }>('DELETE', kind.service, path)
    if (deleted) {
      output.done(`The ${kind.name} ${own ?? id} was deleted`, deleted.data, kind.name)
    }
  }
}
