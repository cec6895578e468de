import type { Message } from '#bus/message'
import { seal, unseal } from '#records/sealing'

import type { PendingCommand } from '#outbox/entry'

/** Keys of a command whose values are secret. */
const SECRET = /secret|password|credential|token|authorization|privateKey|auth_?header/i

/** The path of a secret in the data of a command, and its value. */
type Secret = readonly [path: readonly (string | number)[], value: unknown]

/** Seals the secrets of a command for its time in the database. */
export function sealCommand(message: Message): PendingCommand {
  const secrets: Secret[] = []
  const data = extractSecrets(message.data, [], secrets) as Message['data']
  return secrets.length === 0
    ? { command: message }
    : {
        command: { ...message, data },
        secrets: seal('waiting command', JSON.stringify(secrets)),
      }
}

/** Restores the original command. */
export function unsealCommand({ command, secrets }: PendingCommand): Message {
  if (secrets === undefined) {
    return command
  }
  const opened = unseal('waiting command', secrets)
  if (opened === null) {
    throw new UnreadableCommand(command.id)
  }
  const data = structuredClone(command.data)
  for (const [path, value] of JSON.parse(opened) as Secret[]) {
    setAt(data, path, value)
  }
  return { ...command, data }
}

/** The key of a pending command's secrets is missing, so it cannot be sent. */
export class UnreadableCommand extends Error {
  readonly code = 'E_UNREADABLE_COMMAND'

  constructor(id: string) {
    super(
      `The secrets of the pending command ${id} were sealed with another APP_KEY: list that one in APP_KEY_PREVIOUS, or delete the command from the outbox`
    )
  }
}

/** Replaces each secret with null, which preserves the order of keys. */
function extractSecrets(
  value: unknown,
  path: readonly (string | number)[],
  secrets: Secret[]
): unknown {
  if (Array.isArray(value)) {
    return value.map((item, index) => extractSecrets(item, [...path, index], secrets))
  }
  if (value === null || typeof value !== 'object') {
    return value
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      const at = [...path, key]
      if (!SECRET.test(key) || item === null || item === undefined) {
        return [key, extractSecrets(item, at, secrets)]
      }
      secrets.push([at, item])
      return [key, null]
    })
  )
}

function setAt(data: unknown, path: readonly (string | number)[], value: unknown): void {
  const [last] = path.slice(-1)
  const holder = path.slice(0, -1).reduce((at: any, key) => at[key], data)
  holder[last!] = value
}
