import { readFile } from 'node:fs/promises'

/** What the kernel says of a process behind its name (`man 5 proc_pid_stat`, from field 3 on); undefined if there is none. */
export async function processStat(pid: number): Promise<readonly string[] | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')
}
