import { open, rm } from 'node:fs/promises'

import { UsageProblem } from '#hubctl/problem'

/** Where a secret is to be kept. It is opened before the secret is made: one that nobody can write down is lost. */
export interface SecretFile {
  write(content: unknown): Promise<void>
  discard(): Promise<void>
}

/** Opens a new file that only its owner reads; one that is there already is left alone. */
export async function openSecretFile(path: string): Promise<SecretFile> {
  try {
    const file = await open(path, 'wx', 0o600)
    return {
      write: async (content) => {
        await file.writeFile(`${JSON.stringify(content, null, 2)}\n`)
        await file.close()
      },
      discard: async () => {
        await file.close()
        await rm(path, { force: true })
      },
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new UsageProblem(
      code === 'EEXIST' ? `${path} is there already.` : `${path} cannot be written: ${message}`,
      'Name a new file: --to <file>'
    )
  }
}
