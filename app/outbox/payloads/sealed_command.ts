import type { Message } from '#bus/message'
import { seal, unseal } from '#records/sealing'

import type { PendingCommand } from '#outbox/entry'

/** What a command may carry that no reader of the database should have; by the name of its key. */
const SECRET = /secret|password|credential|token|authorization|privateKey|auth_?header/i

/** Where in the data of a command a secret stands, and what it is. */
type Secret = readonly [path: readonly (string | number)[], value: unknown]

/** A command as it waits in the database: its secrets sealed, all else as it will be sent. */
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

/** The command as it was handed in. */
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

/** The key that sealed the secrets of a waiting command is gone; it cannot be sent without them. */
export class UnreadableCommand extends Error {
  readonly code = 'E_UNREADABLE_COMMAND'

  constructor(id: string) {
    super(
      `The secrets of the waiting command ${id} were sealed with another APP_KEY: list that one in APP_KEY_PREVIOUS, or delete the command from the outbox`
    )
  }
}

/** Leaves a null in each place, so that what is put back comes in the same order. */
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
