import { Command } from 'commander'

import type { ExitCode } from '#hubctl/exit_codes'
import { perform, type Invocation } from '#hubctl/invocation'
import { bodiesFrom } from '#hubctl/kinds/body_values'
import { Kinds } from '#hubctl/kinds/kinds'
import { withReferences } from '#hubctl/kinds/references'
import { withAttributes } from '#hubctl/options'
import { runSteps } from './run_steps.js'
import { createRecord, nameOfBody, requireCreatable } from './write_record.js'

const HELP = `
For the attributes of a kind: hubctl get <kind> --help-kind. A reference takes
an id or a name. A file may hold several records: a list, or documents separated
by ---.

Examples:
  hubctl create node name=north type=default
  hubctl create project -f projects.yaml
  hubctl create project-node projectId=study nodeId=north
  hubctl create user name=ada password=@- < ~/password.txt`

export function createCommand(): Command {
  const command = new Command('create')
    .description('create a record')
    .argument('<kind>', 'a kind of record, from hubctl kinds')
    .addHelpText('after', HELP)
  return withAttributes(command).action(perform(create))
}

async function create(
  invocation: Invocation<{ file?: string }>,
  kindName: string,
  pairs: string[]
): Promise<ExitCode> {
  const { options, output } = invocation
  const api = await invocation.api()
  const kinds = new Kinds(api)
  const kind = await kinds.find(kindName)
  const schema = requireCreatable(kind)
  const bodies = await bodiesFrom(schema, options.file, pairs)
  const steps = bodies.map((body, index) => ({
    name: nameOfBody(body, index),
    act: async () => {
      const resolved = await withReferences(api, kinds, schema, body)
      return createRecord(api, kind, resolved)
    },
  }))
  return runSteps(output, steps, kind.name)
}
