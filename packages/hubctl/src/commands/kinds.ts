import { Command } from 'commander'

import { perform, type Invocation } from '#hubctl/invocation'
import type { Kind } from '#hubctl/kinds/kind'

export function kindsCommand(): Command {
  return new Command('kinds')
    .description('list the kinds of records and their commands')
    .action(perform(showKinds))
}

async function showKinds(invocation: Invocation): Promise<void> {
  const kinds = await invocation.kinds()
  const all = await kinds.all()
  const rows = all.map((kind) => ({
    name: kind.name,
    plural: kind.plural,
    service: kind.service,
    commands: commandsOf(kind).join(' '),
  }))
  invocation.output.records(rows, {
    kind: 'kind',
    columns: ['name', 'service', 'commands'],
  })
}

function commandsOf({ isReadable, create, update, isRemovable }: Kind): string[] {
  return [
    'get',
    ...(isReadable ? ['describe'] : []),
    ...(create ? ['create'] : []),
    ...(update ? ['update', 'edit'] : []),
    ...(isRemovable ? ['delete'] : []),
  ]
}
