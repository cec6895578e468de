import { readFile } from 'node:fs/promises'

import type { ProcessIdentity } from './sandbox_folder.js'

export const identityOf = async (pid: number): Promise<ProcessIdentity> => ({
  pid,
  startedAt: (await startTimeOf(pid)) ?? '',
})

/** Whether the process is there, and not another with its id. */
export const isThere = async ({ pid, startedAt }: ProcessIdentity): Promise<boolean> =>
  (await startTimeOf(pid)) === startedAt

/** Undefined if there is no such process. */
async function startTimeOf(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
}
