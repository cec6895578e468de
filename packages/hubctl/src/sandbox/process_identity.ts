import { processStat } from './process_stat.js'
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
  const stat = await processStat(pid)
  return stat?.[19]
}
