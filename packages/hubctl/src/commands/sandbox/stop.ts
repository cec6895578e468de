import { rm } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'

import type { Invocation } from '#hubctl/invocation'
import { NODES as NODE_RECORDS } from '#hubctl/kinds/record_collections'
import { allOf } from '#hubctl/platform/pages'
import { endLeftovers, requireSandbox, runningSandbox } from '#hubctl/sandbox/running_sandbox'
import { SandboxContexts } from '#hubctl/sandbox/sandbox_contexts'
import { SandboxFolder, type FolderOption } from '#hubctl/sandbox/sandbox_folder'
import { TemporaryFolder } from '#hubctl/sandbox/temporary_folder'
import { sandboxInvocation } from './sandbox_invocation.js'

const POLL_MS = 100

export async function down({ options, output }: Invocation<FolderOption>): Promise<void> {
  const wasRunning = await end(new SandboxFolder(options), output)
  output.done(wasRunning ? 'The sandbox has ended' : 'No sandbox was running')
}

export async function reset({
  options,
  output,
  contexts,
}: Invocation<FolderOption>): Promise<void> {
  const folder = new SandboxFolder(options)
  await end(folder, output)
  output.note('Deletes its data.')
  await new TemporaryFolder(folder.path).remove()
  await rm(folder.path, { recursive: true, force: true })
  await SandboxContexts.remove(contexts, folder.path)
  output.done('The sandbox and its data are gone')
}

export async function showStatus(invocation: Invocation<FolderOption>): Promise<void> {
  const state = await requireSandbox(new SandboxFolder(invocation.options))
  invocation.output.note(
    `The hub is at ${state.url}; the context of its analyst is "${state.context}"`
  )
  const api = await sandboxInvocation(invocation, state, {}).api()
  const nodes = await allOf(api, NODE_RECORDS.service, NODE_RECORDS.path)
  invocation.output.records(nodes, { kind: 'node', columns: ['name', 'type', 'online'] })
}

/** Ends the process of a sandbox, which ends its parts, or what a killed one left. Returns whether there was one. */
async function end(folder: SandboxFolder, output: Invocation['output']): Promise<boolean> {
  output.note(`Ends what runs of the sandbox in ${folder.path}.`)
  const state = await runningSandbox(folder)
  if (!state) {
    const hadLeftovers = await endLeftovers(folder)
    await new TemporaryFolder(folder.path).remove()
    return hadLeftovers
  }
  process.kill(state.pid, 'SIGTERM')
  while (await runningSandbox(folder)) {
    await pause(POLL_MS)
  }
  return true
}
