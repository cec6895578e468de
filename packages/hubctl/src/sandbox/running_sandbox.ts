import { EXIT } from '#hubctl/exit_codes'
import { Problem } from '#hubctl/problem'
import { startTimeOf } from './process_identity.js'
import type { SandboxFolder, SandboxState } from './sandbox_folder.js'

/** The state of a sandbox whose process is there. */
export async function runningSandbox(folder: SandboxFolder): Promise<SandboxState | undefined> {
  const state = await folder.state()
  const isThere = state && (await startTimeOf(state.pid)) === state.startedAt
  return isThere ? state : undefined
}

export async function requireSandbox(folder: SandboxFolder): Promise<SandboxState> {
  const state = await runningSandbox(folder)
  if (!state) {
    throw new Problem(EXIT.notFound, 'No sandbox is running.', ['Start it: hubctl sandbox up'])
  }
  return state
}
