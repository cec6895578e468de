import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { EXIT } from '#hubctl/exit_codes'
import { Problem } from '#hubctl/problem'

/** Finds the sources of the hub that this hubctl belongs to, which have the programs of a sandbox. */
export function repositoryFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(folder, 'bin/bootstrap.mjs'))) {
    const parent = dirname(folder)
    if (parent === folder) {
      throw new Problem(EXIT.failed, 'A sandbox needs the sources of the hub.', [
        'Clone the repository and run: npx hubctl sandbox up',
      ])
    }
    folder = parent
  }
  return folder
}
