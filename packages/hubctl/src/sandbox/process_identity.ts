import { readFile } from 'node:fs/promises'

/** The start time of this process, which with its id names it among all processes since the machine started. */
export const ownStartTime = async (): Promise<string> => (await startTimeOf(process.pid)) ?? ''

/** Undefined if there is no such process. */
export async function startTimeOf(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
}
