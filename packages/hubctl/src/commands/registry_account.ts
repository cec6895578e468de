import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'

import { tryParseJson } from '#kernel/try_parse_json'
import { isObject } from '#oci/manifest'

interface Account {
  readonly accountName: string
  readonly accountSecret: string
}

/** The credential files of podman, skopeo and docker, in order of precedence. */
function files(): string[] {
  const { REGISTRY_AUTH_FILE, DOCKER_CONFIG, XDG_RUNTIME_DIR } = process.env
  return [
    ...(REGISTRY_AUTH_FILE ? [REGISTRY_AUTH_FILE] : []),
    ...(XDG_RUNTIME_DIR ? [join(XDG_RUNTIME_DIR, 'containers', 'auth.json')] : []),
    join(DOCKER_CONFIG ?? join(homedir(), '.docker'), 'config.json'),
  ]
}

/** The account with which this machine is logged in at a registry, if any. */
export async function registryAccount(host: string): Promise<Account | undefined> {
  for (const file of files()) {
    const content = tryParseJson(await readFile(file, 'utf8').catch(() => ''))
    const auths = isObject(content) && isObject(content.auths) ? content.auths : {}
    const account = accountIn(auths[host])
    if (account) {
      return account
    }
  }
  return undefined
}

function accountIn(entry: unknown): Account | undefined {
  const auth = isObject(entry) && typeof entry.auth === 'string' ? entry.auth : ''
  const text = Buffer.from(auth, 'base64').toString()
  const colon = text.indexOf(':')
  return colon > 0
    ? { accountName: text.slice(0, colon), accountSecret: text.slice(colon + 1) }
    : undefined
}
