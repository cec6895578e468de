import { Command } from 'commander'

import { perform, type Invocation } from '#hubctl/invocation'
import { withDryRun } from '#hubctl/options'

const SWEEPS = {
  events: 'remove the events whose time is over, as it is done every night',
  messages: 'remove the messages whose time is over',
  objects: 'remove from the object store what no record names',
} as const

export function sweepCommand(): Command {
  const command = new Command('sweep').description('have removed now what has had its time')
  for (const [name, description] of Object.entries(SWEEPS)) {
    command.addCommand(
      withDryRun(new Command(name).description(description)).action(
        perform((invocation: Invocation) => sweep(invocation, name))
      )
    )
  }
  return command
}

/** One turn of the platform is twenty seconds. */
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
    output.done(`${answer.data.removed} went: ${name}`, answer.data)
  }
}
