import { Command, Option } from 'commander'

import { isLoopback } from '#configuration/loopback'
import { SURFACE_NAMES } from '#configuration/surfaces'
import { LoginProblem, UsageProblem } from '#hubctl/problem'
import { DEFAULT_URL, perform, type Invocation } from '#hubctl/invocation'
import { collect } from '#hubctl/options'
import { printable } from '#hubctl/output/printable'
import { Addresses, addressIn } from '#hubctl/platform/addresses'
import { withAnnouncedIdentity } from '#hubctl/platform/announced_identity'
import { expiryOf, TokenClient } from '#hubctl/platform/token_client'
import { reach } from '#hubctl/platform/reach'
import type { Context, Tokens } from '#hubctl/settings/contexts'
import { credentialsFor, type CredentialOptions } from './login_credentials.js'
import { parseServices } from './services_option.js'

interface LoginOptions extends CredentialOptions {
  readonly service?: readonly string[]
  readonly allowHttp?: boolean
}

const HELP = `
The password, secret or token is prompted for, or read from standard input with
--stdin. It is never an argument, which every program on the machine can read.
--stdin also reads a file that --to wrote, which names the user or client.
Tokens are stored in a file that only you can read, and renewed while the login
lasts. The secret of a client is stored there, too, since it renews the token.`

export function loginCommand(): Command {
  return new Command('login')
    .description('log in as a user, as a client, or with a token, and save the context')
    .option('-u, --user <name>', 'log in as this user')
    .addOption(
      new Option('-c, --client <id>', 'log in as this client, by its id or name').conflicts('user')
    )
    .addOption(
      new Option('-t, --token', 'log in with an existing access token').conflicts([
        'user',
        'client',
      ])
    )
    .option('-r, --realm <name>', 'the realm of the user or client (default: master)')
    .option('--stdin', 'read the password, the secret or the token from standard input')
    .option('--allow-http', 'send the password to another machine without TLS')
    .option('--service <name=address>', 'the address of a service that has its own', collect)
    .addHelpText('after', HELP)
    .action(perform(login))
}

async function login(invocation: Invocation<LoginOptions>): Promise<void> {
  const { options, contexts, output } = invocation
  const named = await targetContext(invocation)
  const requireSafe = (addresses: Addresses) => options.allowHttp || requireTls(addresses)
  requireSafe(new Addresses(named.url, named.services))
  const target = await withAnnouncedIdentity(named)
  const addresses = new Addresses(target.url, target.services)
  requireSafe(addresses)
  if (target !== named) {
    output.note(`The hub logs in at ${printable(addresses.of('identity'))}`)
  }
  const tokens = await tokensFor(options, new TokenClient(addresses.of('identity')))
  await requireAccepted(addresses, tokens)
  const name = options.context ?? new URL(target.url).host
  await contexts.save(name, { ...target, tokens }, { choose: true })
  output.done(`Logged in at ${target.url}; the context "${name}" is the current one`)
}

/** The address from `--url`, else that of the named or current context. */
async function targetContext({ options, contexts }: Invocation<LoginOptions>): Promise<Context> {
  const { url, context: name, service } = options
  const services = parseServices(service)
  if (url !== undefined) {
    return { url: addressIn(url), ...services }
  }
  const found = await contexts.find(name)
  return { url: DEFAULT_URL, ...found?.context, ...services }
}

/** Refuses to send credentials to another machine without TLS. */
function requireTls(addresses: Addresses): void {
  const insecure = SURFACE_NAMES.map((service) => new URL(addresses.of(service))).find(
    ({ protocol, hostname }) => protocol === 'http:' && !isLoopback(hostname)
  )
  if (insecure) {
    throw new UsageProblem(
      `${insecure.origin} is another machine, and the password and tokens would be sent to it without TLS.`,
      'Use an https address, or pass --allow-http.'
    )
  }
}

async function tokensFor(options: LoginOptions, grants: TokenClient): Promise<Tokens> {
  const credentials = await credentialsFor(options)
  switch (credentials.type) {
    case 'token':
      return { accessToken: credentials.token, expiresAt: expiryOf(credentials.token) }
    case 'client':
      return grants.byClient(credentials.client)
    case 'person':
      return grants.byPassword(credentials.person)
  }
}

/** Fails the login early if the platform rejects the token. */
async function requireAccepted(addresses: Addresses, { accessToken }: Tokens): Promise<void> {
  const { status } = await reach(`${addresses.of('core')}/projects?page[limit]=1`, {
    headers: { authorization: `Bearer ${accessToken}` },
  })
  if (status === 401) {
    throw new LoginProblem('The platform does not accept this token.')
  }
}
