import { cp } from 'node:fs/promises'
import { existsSync } from 'node:fs'

import type { Invocation } from '#hubctl/invocation'
import { UsageProblem } from '#hubctl/problem'
import { exampleFolder } from '#hubctl/sandbox/examples'

/** Copies an example into a new folder. */
export async function newExample(
  { options, output }: Invocation<{ from: string }>,
  name: string
): Promise<void> {
  if (existsSync(name)) {
    throw new UsageProblem(`${name} exists already.`)
  }
  await cp(await exampleFolder(options.from), name, { recursive: true })
  output.done(`${name} is a copy of the example ${options.from}`)
  output.note(`Change ${name}/main.py, then: hubctl sandbox run ${name}`)
}
