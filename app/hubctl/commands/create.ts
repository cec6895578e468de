import { Command } from 'commander'

import { perform, type Invocation } from '#hubctl/invocation'
import { bodyFrom } from '#hubctl/kinds/body_values'
import type { Found } from '#hubctl/kinds/find_record'
import { Kinds } from '#hubctl/kinds/kinds'
import { withReferences } from '#hubctl/kinds/references'
import { writing } from '#hubctl/options'
import { UsageProblem } from '#hubctl/problem'

const HELP = `
What a kind takes: hubctl get <kind> --help-kind. An attribute that is the id of
another record takes its name as well.

Examples:
  hubctl create node name=north type=default
  hubctl create project -f project.yaml
  hubctl create project-node projectId=study nodeId=north
  hubctl create user name=ada password=@- < password.txt`

export function createCommand(): Command {
  const command = new Command('create')
    .description('make a record')
    .argument('<kind>', 'a kind of record, as hubctl kinds shows them')
    .addHelpText('after', HELP)
  return writing(command).action(perform(create))
}

async function create(
  invocation: Invocation<{ file?: string }>,
  kindName: string,
  pairs: string[]
): Promise<void> {
  const { options, output } = invocation
  const api = await invocation.api()
  const kinds = new Kinds(api)
  const kind = await kinds.find(kindName)
  if (!kind.create) {
    throw new UsageProblem(
      `A ${kind.name} is not made by callers: the platform makes it.`,
      'What is made: hubctl kinds'
    )
  }
  const said = await bodyFrom(kind.create, options.file, pairs)
  const body = await withReferences(api, kinds, kind.create, said)
  const made = await api.change<{ data: Found }>('POST', kind.service, kind.path, body)
  if (made) {
    const { id, name } = made.data
    const words = ['The', kind.name, ...(name === undefined ? [] : [name]), 'was made:', id]
    output.done(words.join(' '), made.data, kind.name)
  }
}
