import { Command } from 'commander'

import { perform, type Invocation } from '#hubctl/invocation'
import { collect } from '#hubctl/options'
import { addressIn } from '#hubctl/platform/addresses'
import { UsageProblem } from '#hubctl/problem'
import type { Context } from '#hubctl/settings/contexts'
import { parseServices } from './services_option.js'

export function contextCommand(): Command {
  return new Command('context')
    .description('manage contexts: hubs and their logins')
    .addCommand(new Command('list').description('list the contexts').action(perform(list)))
    .addCommand(
      new Command('use')
        .description('make a context the current one')
        .argument('<name>')
        .action(perform(use))
    )
    .addCommand(
      new Command('set')
        .description('create or change a context; --url sets its address')
        .argument('<name>')
        .option('--service <name=address>', 'the address of a service that has its own', collect)
        .action(perform(set))
    )
    .addCommand(
      new Command('delete')
        .description('delete a context and its login')
        .argument('<name>')
        .action(perform(remove))
    )
}

async function list({ contexts, output }: Invocation): Promise<void> {
  const { current, contexts: known } = await contexts.read()
  const rows = Object.entries(known).map(([name, { url, tokens }]) => ({
    name,
    current: name === current,
    url,
    login: loginOf(tokens),
  }))
  output.records(rows, {
    kind: 'context',
    columns: ['current', 'name', 'url', 'login'],
    nothing: 'There are no contexts yet: hubctl login --url <address>',
  })
}

function loginOf(tokens: Context['tokens']): string {
  if (!tokens) {
    return 'none'
  }
  return tokens.client ? `client ${tokens.client.id}` : tokens.refreshToken ? 'person' : 'token'
}

async function use({ contexts, output }: Invocation, name: string): Promise<void> {
  await contexts.choose(name)
  output.done(`The context "${name}" is the current one`)
}

/** Keeps the login only if the address stays the same. */
async function set(
  { contexts, options, output }: Invocation<{ service?: string[] }>,
  name: string
): Promise<void> {
  const services = parseServices(options.service)
  const { contexts: known } = await contexts.read()
  const before = Object.hasOwn(known, name) ? known[name] : undefined
  const url = options.url === undefined ? before?.url : addressIn(options.url)
  if (url === undefined) {
    throw new UsageProblem('The address is missing.', `hubctl context set ${name} --url <address>`)
  }
  const isSame = url === before?.url && services.services === undefined
  await contexts.save(name, isSame ? before! : { url, ...services })
  output.done(`The context "${name}" is ${url}`)
}

async function remove({ contexts, output }: Invocation, name: string): Promise<void> {
  await contexts.remove(name)
  output.done(`The context "${name}" was deleted`)
}
