import { Command } from 'commander'

import { perform, type Invocation } from '#hubctl/invocation'
import { findRecord, type RecordCollection } from '#hubctl/kinds/find_record'
import { pathOf } from '#hubctl/kinds/kind'
import { withConfirmation } from '#hubctl/options'
import { requireConfirmation, readSecret } from '#hubctl/output/prompts'
import { openSecretFile } from '#hubctl/output/secret_file'

interface Credentials {
  readonly id: string
  readonly name: string
  readonly secret: string
}

interface RotateOptions {
  readonly to: string
  readonly stdin?: boolean
  readonly yes?: boolean
}

const HELP = `
The new secret is written to the file that --to names, which only you may read;
it is never printed. Without --stdin the hub generates one.`

/** The command `rotate-credentials` of nodes and analyses. The old secret stops working at once. */
export function rotateCredentialsCommand(collection: RecordCollection): Command {
  const command = new Command('rotate-credentials')
    .description('replace its secret; the old one stops working at once')
    .argument(`<${collection.name}>`, 'its id or name')
    .requiredOption('--to <file>', 'the file the new credentials are written to, mode 600')
    .option('--stdin', 'read the new secret from standard input')
    .addHelpText('after', HELP)
  return withConfirmation(command).action(
    perform((invocation: Invocation<RotateOptions>, idOrName: string) =>
      rotate(invocation, collection, idOrName)
    )
  )
}

async function rotate(
  invocation: Invocation<RotateOptions>,
  collection: RecordCollection,
  idOrName: string
): Promise<void> {
  const { options, output } = invocation
  const api = await invocation.api()
  const { id, name } = await findRecord(api, collection, idOrName)
  await requireConfirmation(
    `Replace the secret of the ${collection.name} ${name ?? id}? The old one stops working at once.`,
    {
      yes: Boolean(options.yes) || api.isPlanning,
    }
  )
  const chosen = options.stdin ? { secret: await readSecret('secret', { stdin: true }) } : {}
  const path = `${pathOf(collection, id)}/client/credentials`
  if (api.isPlanning) {
    await api.change('POST', collection.service, path, chosen)
    return
  }
  const file = await openSecretFile(options.to)
  try {
    await file.write(await api.change<Credentials>('POST', collection.service, path, chosen))
  } catch (error) {
    await file.discard()
    throw error
  }
  output.done(`The new credentials of the ${collection.name} ${name ?? id} are in ${options.to}`)
}
