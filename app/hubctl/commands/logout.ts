import { Command } from 'commander'

import { perform, type Invocation } from '#hubctl/invocation'
import { Addresses } from '#hubctl/platform/addresses'
import { TokenClient } from '#hubctl/platform/token_client'
import { Problem } from '#hubctl/problem'
import type { Context } from '#hubctl/settings/contexts'

export function logoutCommand(): Command {
  return new Command('logout')
    .description('end the login of a context, here and at the identity provider')
    .action(perform(logout))
}

/** Here it ends in any case: a provider that is away must not keep a token on this machine. */
async function logout({ contexts, options, output }: Invocation): Promise<void> {
  const found = await contexts.find(options.context)
  if (!found?.context.tokens) {
    return output.note('Nobody is logged in.')
  }
  const { name, context } = found
  const { tokens, ...rest } = context
  await contexts.save(name, rest)
  try {
    await revoke(context)
    output.done(`Logged out of the context "${name}"`)
  } catch (error) {
    if (!(error instanceof Problem)) {
      throw error
    }
    output.note(
      `The token is removed from this machine; the provider could not be told: ${error.message}`
    )
  }
}

async function revoke({ url, services, tokens }: Context): Promise<void> {
  const grants = new TokenClient(new Addresses(url, services).of('identity'))
  if (tokens?.refreshToken) {
    await grants.revoke(tokens.refreshToken)
  }
  if (tokens) {
    await grants.revoke(tokens.accessToken)
  }
}
