import { randomBytes } from 'node:crypto'
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

import { Problem } from '#hubctl/problem'
import { EXIT } from '#hubctl/exit_codes'

/** Reads a JSON file; undefined if it does not exist. */
export async function readPrivate<T>(path: string): Promise<T | undefined> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      return undefined
    }
    throw unusableFile(path, (error as Error).message)
  }
  try {
    return JSON.parse(text) as T
  } catch {
    throw unusableFile(path, 'it is not valid JSON')
  }
}

/** Replaces a file atomically, with mode 600. */
export async function writePrivate(path: string, content: unknown): Promise<void> {
  const next = `${path}.${randomBytes(6).toString('hex')}`
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    await writeFile(next, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
    await chmod(next, 0o600)
    await rename(next, path)
  } catch (error) {
    throw unusableFile(path, (error as Error).message)
  }
}

function unusableFile(path: string, reason: string): Problem {
  return new Problem(EXIT.failed, `${path} cannot be used: ${reason}`, [
    'Fix its permissions, or remove it and log in again: hubctl login',
  ])
}
