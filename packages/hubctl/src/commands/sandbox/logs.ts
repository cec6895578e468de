import { readFile, readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'

import type { Invocation } from '#hubctl/invocation'
import { printable } from '#hubctl/output/printable'
import { UsageProblem } from '#hubctl/problem'
import { SandboxFolder, type FolderOption } from '#hubctl/sandbox/sandbox_folder'

/** Shows what one part has printed, or all of them one after the other. */
export async function showLogs(
  { options, output }: Invocation<FolderOption>,
  part?: string
): Promise<void> {
  const { logs } = new SandboxFolder(options)
  const files = await readdir(logs).catch(() => [])
  const names = files.map((file) => basename(file, '.log')).sort()
  const chosen = part === undefined ? names : names.filter((name) => name === part)
  if (part !== undefined && chosen.length === 0) {
    throw new UsageProblem(`There is no log of "${part}".`, `There are: ${names.join(', ')}`)
  }
  for (const name of chosen) {
    const text = await readFile(join(logs, `${name}.log`), 'utf8')
    text
      .trimEnd()
      .split('\n')
      .forEach((line) => output.line(printable(chosen.length > 1 ? `${name}  ${line}` : line)))
  }
}
