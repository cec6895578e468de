import { Command } from 'commander'

import { perform, type Invocation } from '#hubctl/invocation'
import { findRecord, type RecordCollection } from '#hubctl/kinds/find_record'
import { REGISTRIES, REGISTRY_PROJECTS } from '#hubctl/kinds/record_collections'
import { withDryRun, watchable } from '#hubctl/options'
import { isInteractive, readSecret, requireConfirmation } from '#hubctl/output/prompts'
import { parseInterval, watch } from '#hubctl/output/watch'
import type { Api } from '#hubctl/platform/api'
import { allOf, type Fields } from '#hubctl/platform/pages'

interface RegistryCommand {
  readonly name: string
  readonly command: string
  readonly collection: RecordCollection
  readonly description: string
}

interface RegistryCommandOptions {
  readonly stdin?: boolean
  readonly adopt?: string
  readonly yes?: boolean
}

interface Adoption {
  readonly exists: boolean
  readonly isOwn: boolean
  readonly changes: readonly string[]
}

const REGISTRY_COMMANDS: readonly RegistryCommand[] = [
  {
    name: 'setup',
    command: 'setup',
    collection: REGISTRIES,
    description: 'create the projects of a registry and link everything that belongs to it',
  },
  {
    name: 'cleanup',
    command: 'cleanup',
    collection: REGISTRIES,
    description: 'remove what the hub created there and no record refers to',
  },
  {
    name: 'link',
    command: 'projectLink',
    collection: REGISTRY_PROJECTS,
    description: 'create a project in its registry, with an account and a webhook',
  },
  {
    name: 'unlink',
    command: 'projectUnlink',
    collection: REGISTRY_PROJECTS,
    description: 'remove a project from its registry; its record stays',
  },
  {
    name: 'renew-hook',
    command: 'hookRenew',
    collection: REGISTRIES,
    description: "replace the secret of a registry's webhook",
  },
  {
    name: 'renew-worker',
    command: 'workerRenew',
    collection: REGISTRIES,
    description: 'replace the secrets with which workers push images to a registry',
  },
]

export function registryCommand(): Command {
  const command = new Command('registry').description('manage registries of images')
  for (const registryAction of REGISTRY_COMMANDS) {
    const { name, description, collection } = registryAction
    const subcommand = new Command(name)
      .description(description)
      .argument(`<${collection.name}>`, 'its id or name')
    if (name === 'link') {
      subcommand
        .option('--stdin', 'read the secret of the account from standard input')
        .option('--adopt <externalName>', 'adopt the existing project of this name')
        .option('--yes', 'adopt it without confirmation')
    }
    command.addCommand(
      withDryRun(subcommand).action(
        perform((invocation: Invocation<RegistryCommandOptions>, idOrName: string) =>
          sendCommand(invocation, registryAction, idOrName)
        )
      )
    )
  }
  return command.addCommand(
    watchable(
      new Command('status').description('show the state of the projects of registries')
    ).action(perform(showStatus))
  )
}

async function sendCommand(
  invocation: Invocation<RegistryCommandOptions>,
  { command, collection }: RegistryCommand,
  idOrName: string
): Promise<void> {
  const { options, output } = invocation
  const api = await invocation.api()
  const { id, name } = await findRecord(api, collection, idOrName)
  const chosen = options.stdin ? { secret: await readSecret('secret', { stdin: true }) } : {}
  if (options.adopt !== undefined) {
    await showAdoption(api, invocation, id)
  }
  const adopted = options.adopt === undefined ? {} : { adopt: options.adopt }
  const path = '/services/registry/command'
  const body = { command, id, ...chosen, ...adopted }
  const answer = await api.change<null>('POST', 'core', path, body)
  if (answer !== undefined) {
    output.done(`${command} of ${name ?? id} was enqueued; hubctl registry status shows its state`)
  }
}

/** Shows what an adoption changes in the registry before requesting it; at a terminal it has to be confirmed. */
async function showAdoption(
  api: Pick<Api, 'read'>,
  { options, output }: Invocation<RegistryCommandOptions>,
  id: string
): Promise<void> {
  const path = `${REGISTRY_PROJECTS.path}/${id}/adoption`
  const { data } = await api.read<{ data: Adoption }>('core', path)
  for (const change of data.changes) {
    output.note(change)
  }
  if (data.exists && !data.isOwn && isInteractive()) {
    await requireConfirmation(`Adopt ${options.adopt}?`, { yes: options.yes ?? false })
  }
}

interface RegistryProject extends Fields {
  readonly name: string
  readonly type: string
  readonly externalName: string
  readonly externalId: string | null
  readonly accountName: string | null
  readonly webhookExists: boolean
  readonly registry: { readonly name: string }
}

async function showStatus(invocation: Invocation<{ watch?: string | boolean }>) {
  const { options, output } = invocation
  const api = await invocation.api()
  return watch(parseInterval(options.watch), async () => {
    const projects = await allOf<RegistryProject>(api, 'core', REGISTRY_PROJECTS.path, {
      query: [['include', 'registry']],
    })
    const rows = projects.map((project) => ({
      id: project.id,
      registry: project.registry.name,
      name: project.name,
      type: project.type,
      project: project.externalName,
      linked: project.externalId !== null,
      account: project.accountName,
      hook: project.webhookExists,
    }))
    output.records(rows, {
      kind: REGISTRY_PROJECTS.name,
      columns: ['name', 'type', 'registry', 'project', 'linked', 'hook'],
      nothing: 'No registry has a project yet.',
    })
  })
}
