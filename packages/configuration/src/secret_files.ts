import { readFileSync } from 'node:fs'

import { isSet, type Source, type Variables } from './catalogue.js'
import type { Mistake } from './configuration_error.js'

const LARGEST = 64 * 2 ** 10

interface SecretFiles {
  /** The environment, with the contents of the files. */
  readonly source: Source
  /** The variables whose value comes from a file. */
  readonly names: ReadonlySet<string>
  readonly mistakes: readonly Mistake[]
}

/** The variable that names the file of a secret. */
export const fileVariable = (name: string): string => `${name}_FILE`

/** Reads the files that `<NAME>_FILE` names, for secrets only. */
export function readSecretFiles(variables: Variables, source: Source): SecretFiles {
  const names = Object.keys(variables).filter(
    (name) => variables[name]?.secret && isSet(source, fileVariable(name))
  )
  const contents: Record<string, string> = {}
  const mistakes: Mistake[] = []
  for (const name of names) {
    const content = isSet(source, name)
      ? { problem: `is set beside ${name}`, allowed: 'keep one of them' }
      : contentOf((source[fileVariable(name)] ?? '').trim())
    if (typeof content === 'string') {
      contents[name] = content
    } else {
      mistakes.push({ name: fileVariable(name), ...content })
    }
  }
  return { source: { ...source, ...contents }, names: new Set(names), mistakes }
}

/** The text of the file without its last line break. */
function contentOf(path: string): string | Omit<Mistake, 'name'> {
  const allowed = 'name a file with the secret that this process can read'
  let content: Buffer
  try {
    content = readFileSync(path)
  } catch (error) {
    return { problem: `cannot be read (${(error as NodeJS.ErrnoException).code})`, allowed }
  }
  if (content.length > LARGEST) {
    return { problem: 'is larger than 64 KiB', allowed }
  }
  const text = content.toString('utf8').replace(/\r?\n$/, '')
  return text.trim() === '' ? { problem: 'names an empty file', allowed } : text
}
