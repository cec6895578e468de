import { Command } from 'commander'

import { perform, type Invocation } from '#hubctl/invocation'
import { readCaller } from '#hubctl/platform/caller'
import { LoginProblem } from '#hubctl/problem'

export function whoamiCommand(): Command {
  return new Command('whoami')
    .description('show your login and your permissions')
    .action(perform(whoami))
}

async function whoami(invocation: Invocation): Promise<void> {
  const { context } = await invocation.target()
  const caller = await readCaller(await invocation.api())
  if (!caller) {
    throw new LoginProblem(`No user is logged in at ${context.url}, or the login has ended.`)
  }
  const { permissions, ...rest } = caller
  const { output } = invocation
  const shown = output.isTable ? permissions.join(', ') : permissions
  output.record({ url: context.url, ...rest, permissions: shown }, { kind: caller.kind })
}
