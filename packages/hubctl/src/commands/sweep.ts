import { Command } from 'commander'

import { perform, type Invocation } from '#hubctl/invocation'
import { withDryRun } from '#hubctl/options'

const SWEEPS = {
  events: 'remove expired events, as every night',
  messages: 'remove expired messages',
  objects: 'remove objects that no record refers to',
} as const

export function sweepCommand(): Command {
  const command = new Command('sweep').description('run a sweep now')
  for (const [name, description] of Object.entries(SWEEPS)) {
    command.addCommand(
      withDryRun(new Command(name).description(description)).action(
        perform((invocation: Invocation) => sweep(invocation, name))
      )
    )
  }
  return command
}

/** The platform sweeps for twenty seconds per request. */
const TIMEOUT_MS = 120_000

async function sweep(invocation: Invocation, name: string): Promise<void> {
  const { output } = invocation
  const api = await invocation.api()
  const answer = await api.change<{ data: { removed: number } }>(
    'POST',
    'core',
    `/admin/sweeps/${name}`,
    undefined,
    TIMEOUT_MS
  )
  if (answer) {
    output.done(`${answer.data.removed} ${name} were removed`, answer.data)
  }
}
