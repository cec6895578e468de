import { readFile } from 'node:fs/promises'

import { parse } from 'yaml'

import type { BodyValidator } from '#kernel/body'
import { SettingsInvalid } from '#node/errors'

/** Reads a YAML file and validates it. Unknown settings are errors, since they are probably misspelt. */
export async function readSettingsFile<Settings>(
  path: string,
  validator: BodyValidator<Settings>
): Promise<Settings> {
  try {
    const content: unknown = parse(await readFile(path, 'utf8')) ?? {}
    const [unknown] = validator.dropped(content)
    if (unknown) {
      throw new Error(`there is no setting ${unknown.join('.')}`)
    }
    return await validator.validate(content)
  } catch (error) {
    throw new SettingsInvalid(`${path} cannot be used: ${reasonOf(error)}`, error)
  }
}

function reasonOf(cause: unknown): string {
  const { messages, message } = cause as {
    messages?: readonly { path: readonly string[]; message: string }[]
    message: string
  }
  return messages?.map((one) => `${one.path.join('.')}: ${one.message}`).join('; ') ?? message
}
