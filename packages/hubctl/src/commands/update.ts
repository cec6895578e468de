import { Command } from 'commander'

import type { ExitCode } from '#hubctl/exit_codes'
import { perform, type Invocation } from '#hubctl/invocation'
import { bodyFrom } from '#hubctl/kinds/body_values'
import { findRecord } from '#hubctl/kinds/find_record'
import { Kinds } from '#hubctl/kinds/kinds'
import { withReferences } from '#hubctl/kinds/references'
import { withAttributes } from '#hubctl/options'
import { UsageProblem } from '#hubctl/problem'
import { runSteps } from './run_steps.js'
import { requireUpdatable, updateRecord } from './write_record.js'

const HELP = `
For the attributes of a kind: hubctl get <kind> --help-kind. A reference takes
an id or a name.

Examples:
  hubctl update node north hidden=true
  hubctl update analysis my-analysis -f changes.yaml`

export function updateCommand(): Command {
  const command = new Command('update')
    .description('update attributes of a record')
    .argument('<kind>', 'a kind of record, from hubctl kinds')
    .argument('<name>', 'its id or name')
    .addHelpText('after', HELP)
  return withAttributes(command).action(perform(update))
}

async function update(
  invocation: Invocation<{ file?: string }>,
  kindName: string,
  idOrName: string,
  pairs: string[]
): Promise<ExitCode> {
  const { options, output } = invocation
  const api = await invocation.api()
  const kinds = new Kinds(api)
  const kind = await kinds.find(kindName)
  const schema = requireUpdatable(kind)
  const attributes = await bodyFrom(schema, options.file, pairs)
  if (Object.keys(attributes).length === 0) {
    throw new UsageProblem(
      'No attributes were given.',
      'Pass key=value, or a file: -f changes.yaml'
    )
  }
  const body = await withReferences(api, kinds, schema, attributes)
  const { id } = await findRecord(api, kind, idOrName)
  const act = () => updateRecord(api, kind, { id, name: idOrName }, body)
  return runSteps(output, [{ name: idOrName, act }], kind.name)
}
