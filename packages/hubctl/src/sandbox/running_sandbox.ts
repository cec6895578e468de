import { setTimeout as pause } from 'node:timers/promises'

import { EXIT } from '#hubctl/exit_codes'
import { Problem } from '#hubctl/problem'
import { killGroup } from './part.js'
import { isThere } from './process_identity.js'
import type { SandboxFolder, SandboxState } from './sandbox_folder.js'

const GRACE_MS = 30_000
const POLL_MS = 100

/** The state of a sandbox whose process is there. */
export async function runningSandbox(folder: SandboxFolder): Promise<SandboxState | undefined> {
  const state = await folder.state()
  return state && (await isThere(state)) ? state : undefined
}

/** The state of a sandbox that is ready. */
export async function requireSandbox(folder: SandboxFolder): Promise<SandboxState> {
  const state = await runningSandbox(folder)
  if (!state) {
    throw new Problem(EXIT.notFound, 'No sandbox is running.', [
      `Start it: ${folder.command('up')}`,
    ])
  }
  if (!state.isReady) {
    throw new Problem(EXIT.refused, 'The sandbox is not ready yet.', [
      'It says so in its terminal when it is.',
    ])
  }
  return state
}

/** Ends the parts of a sandbox whose own process was killed. Returns whether there were any. */
export async function endLeftovers(folder: SandboxFolder): Promise<boolean> {
  const state = await folder.state()
  const running = []
  for (const part of state?.parts ?? []) {
    if (await isThere(part)) {
      running.push(part)
      process.kill(part.pid, 'SIGTERM')
    }
  }
  for (const part of running) {
    for (const deadline = Date.now() + GRACE_MS; await isThere(part); await pause(POLL_MS)) {
      if (Date.now() > deadline) {
        killGroup(part.pid)
      }
    }
  }
  return running.length > 0
}
