import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

import { UsageProblem } from '#hubctl/problem'
import { repositoryFolder } from './repository.js'

/** The folder of an example by its name, or any folder. */
export async function exampleFolder(nameOrFolder: string): Promise<string> {
  const examples = join(repositoryFolder(), 'examples')
  const names = await readdir(examples)
  const folder = [join(examples, nameOrFolder), nameOrFolder].find((one) =>
    existsSync(join(one, 'main.py'))
  )
  if (!folder) {
    throw new UsageProblem(
      `"${nameOrFolder}" is neither an example nor a folder with a main.py.`,
      `The examples are: ${names.join(', ')}`
    )
  }
  return folder
}
