import { Command, Option } from 'commander'

import { LoginProblem, UsageProblem } from '#hubctl/problem'
import { DEFAULT_URL, perform, type Invocation } from '#hubctl/invocation'
import { gathered } from '#hubctl/options'
import { secretFor, textFor } from '#hubctl/output/prompts'
import { Addresses, addressIn } from '#hubctl/platform/addresses'
import { expiryOf, Grants } from '#hubctl/platform/grants'
import { reach } from '#hubctl/platform/reaching'
import type { Context, Tokens } from '#hubctl/settings/contexts'
import { servicesIn } from './services_option.js'

interface Options {
  readonly user?: string
  readonly client?: string
  readonly token?: boolean
  readonly realm?: string
  readonly stdin?: boolean
  readonly service?: readonly string[]
}

const HELP = `
The password, the secret or the token is asked for, or read from standard input
with --stdin; it is never an argument, since every program of the machine sees
those. Tokens are kept in a file that only you may read, and renewed while the
login lasts. A client's secret is kept there, too: it has nothing else to renew
its token with.`

export function loginCommand(): Command {
  return new Command('login')
    .description(
      'log in as a person, as a client, or with a token, and keep the platform as a context'
    )
    .option('-u, --user <name>', 'log in as this person')
    .addOption(
      new Option('-c, --client <id>', 'log in as this client, by its id or name').conflicts('user')
    )
    .addOption(
      new Option('-t, --token', 'use an access token of elsewhere').conflicts(['user', 'client'])
    )
    .option('-r, --realm <name>', 'the realm of the person or client (default: master)')
    .option('--stdin', 'read the password, the secret or the token from standard input')
    .option('--service <name=address>', 'where a service has an address of its own', gathered)
    .addHelpText('after', HELP)
    .action(perform(login))
}

async function login(invocation: Invocation<Options>): Promise<void> {
  const { options, contexts, output } = invocation
  const place = await placeOf(invocation)
  const addresses = new Addresses(place.url, place.services)
  const tokens = await tokensFor(options, new Grants(addresses.of('identity')))
  await requireAccepted(addresses, tokens)
  const name = options.context ?? new URL(place.url).host
  await contexts.keep(name, { ...place, tokens }, { choose: true })
  output.done(`Logged in at ${place.url}; the context "${name}" is the current one`)
}

/** An address that is named, else that of the context that is named or current. */
async function placeOf({ options, contexts }: Invocation<Options>): Promise<Context> {
  const { url, context: name, service } = options
  const services = servicesIn(service)
  if (url !== undefined) {
    return { url: addressIn(url), ...services }
  }
  const found = await contexts.find(name)
  return { url: DEFAULT_URL, ...found?.context, ...services }
}

async function tokensFor(options: Options, grants: Grants): Promise<Tokens> {
  const { client, realm, token, user, stdin = false } = options
  if (token) {
    return pasted(await secretFor('access token', { stdin }))
  }
  if (client !== undefined) {
    const secret = await secretFor('secret', { stdin })
    return grants.byClient({ id: client, secret, ...(realm !== undefined && { realm }) })
  }
  if (user === undefined && stdin) {
    throw new UsageProblem('Whose password is it?', 'Say --user, --client or --token.')
  }
  const name = user ?? (await textFor('user name', 'admin'))
  const password = await secretFor('password', { stdin })
  return grants.byPassword({ user: name, password, realm: realm ?? 'master' })
}

function pasted(text: string): Tokens {
  const accessToken = text.trim()
  if (/\s/.test(accessToken)) {
    throw new UsageProblem('That is no access token: it has spaces in it.')
  }
  return { accessToken, expiresAt: expiryOf(accessToken) }
}

/** A login that nobody could use is better found now. */
async function requireAccepted(addresses: Addresses, { accessToken }: Tokens): Promise<void> {
  const { status } = await reach(`${addresses.of('core')}/projects?page[limit]=1`, {
    headers: { authorization: `Bearer ${accessToken}` },
  })
  if (status === 401) {
    throw new LoginProblem('The platform does not accept this token.')
  }
}
