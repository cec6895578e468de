import { readSecret } from '#identity/embedded/client_secrets'
import type { Selection } from '#query/decode'
import type { Kind, Values } from '#records/kind'
import { asksForSecrets } from '#records/secrets'

/**
 * Turns encrypted secrets in an answer into what they were set to. The database has left out all that the caller may not
 * see; answers nobody asked for secrets in pass through untouched.
 */
export async function withReadableSecrets(
  kind: Kind,
  selection: Selection,
  data: string
): Promise<string> {
  if (!asksForSecrets(kind.declaration, selection)) {
    return data
  }
  const records = JSON.parse(data) as Values | Values[]
  await Promise.all([records].flat().map((record) => decryptIn(kind, record)))
  return JSON.stringify(records)
}

async function decryptIn(kind: Kind, record: Values): Promise<void> {
  for (const name of kind.secrets) {
    if (typeof record[name] === 'string') {
      record[name] = await readSecret(record[name])
    }
  }
  for (const [name, { to }] of Object.entries(kind.relations)) {
    if (record[name]) {
      await decryptIn(to(), record[name] as Values)
    }
  }
}
