import { readFile, readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'

import type { Invocation } from '#hubctl/invocation'
import { printable } from '#hubctl/output/printable'
import { UsageProblem } from '#hubctl/problem'
import { SandboxFolder, type FolderOption } from '#hubctl/sandbox/sandbox_folder'

interface Log {
  readonly name: string
  readonly path: string
}

/** Shows what one part has printed, or all of them one after the other; of a node, also its last analysis. */
export async function showLogs(
  { options, output }: Invocation<FolderOption>,
  part?: string
): Promise<void> {
  const folder = new SandboxFolder(options)
  const { logs } = folder
  const files = await readdir(logs).catch(() => [])
  const names = files.map((file) => basename(file, '.log')).sort()
  const chosen = part === undefined ? names : names.filter((name) => name === part)
  if (part !== undefined && chosen.length === 0) {
    throw new UsageProblem(`There is no log of "${part}".`, `There are: ${names.join(', ')}`)
  }
  const shown: Log[] = []
  for (const name of chosen) {
    shown.push({ name, path: join(logs, `${name}.log`) }, ...(await lastOutput(folder, name)))
  }
  for (const { name, path } of shown) {
    const text = await readFile(path, 'utf8')
    const lines = text === '' ? [] : text.trimEnd().split('\n')
    lines.forEach((line) => output.line(printable(shown.length > 1 ? `${name}  ${line}` : line)))
  }
}

/** What the last analysis at a node has printed. */
async function lastOutput(folder: SandboxFolder, name: string): Promise<Log[]> {
  const outputs = folder.outputs(name)
  const files = await readdir(outputs).catch(() => [])
  const logs = files.map((file) => ({
    name: `${name} ${basename(file, '.log')}`,
    path: join(outputs, file),
  }))
  const stats = await Promise.all(logs.map(({ path }) => stat(path)))
  const newest = Math.max(...stats.map(({ mtimeMs }) => mtimeMs))
  return logs.filter((_log, index) => stats[index]!.mtimeMs === newest).slice(0, 1)
}
