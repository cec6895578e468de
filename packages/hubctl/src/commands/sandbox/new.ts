import { cp } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { basename } from 'node:path'

import type { Invocation } from '#hubctl/invocation'
import { UsageProblem } from '#hubctl/problem'
import { exampleFolder } from '#hubctl/sandbox/examples'
import { SandboxFolder, type FolderOption } from '#hubctl/sandbox/sandbox_folder'

const EXPECTATION = 'expected.json'

/** Copies an example into a new folder, without the result that only the example has. */
export async function newExample(
  { options, output }: Invocation<FolderOption & { from: string }>,
  name: string
): Promise<void> {
  if (existsSync(name)) {
    throw new UsageProblem(`${name} exists already.`)
  }
  await cp(await exampleFolder(options.from), name, {
    recursive: true,
    filter: (file) => basename(file) !== EXPECTATION,
  })
  output.done(`${name} is a copy of the example ${options.from}`)
  output.note(`Change ${name}/main.py, then: ${new SandboxFolder(options).command(`run ${name}`)}`)
}
