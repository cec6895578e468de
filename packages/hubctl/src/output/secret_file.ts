import { open, rm } from 'node:fs/promises'

import { UsageProblem } from '#hubctl/problem'

/** A new file for a secret. It is opened before the secret is created, so that the secret cannot get lost. */
export interface SecretFile {
  write(content: unknown): Promise<void>
  discard(): Promise<void>
}

/** Opens a new file with mode 600; never overwrites an existing one. */
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
      code === 'EEXIST' ? `${path} exists already.` : `${path} cannot be written: ${message}`,
      'Name a new file: --to <file>'
    )
  }
}
