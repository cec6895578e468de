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

/** Removes the local token first, so that it is gone even if the provider is unavailable. */
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
      `The token was removed from this machine, but the provider could not revoke it: ${error.message}`
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
