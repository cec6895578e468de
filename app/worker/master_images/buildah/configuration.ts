import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A registry with the account to pull bases with. */
export interface KnownRegistry {
  readonly host: string
  readonly isInsecure: boolean
  readonly accountName?: string | null | undefined
  readonly accountSecret?: string | null | undefined
}

const FOLDER = ['.config', 'containers', 'registries.conf.d']

/**
 * Configures the registries of buildah in addition to those of the host. Names without a host refer to Docker Hub.
 * Returns the path of the private auth file.
 */
export async function writeConfiguration(
  home: string,
  registries: readonly KnownRegistry[]
): Promise<string> {
  const folder = join(home, ...FOLDER)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await writeFile(join(folder, '900-analysis-hub.conf'), registriesConf(registries))
  const accounts = join(home, 'auth.json')
  await writeFile(accounts, authFile(registries), { mode: 0o600, flag: 'wx' })
  return accounts
}

function registriesConf(registries: readonly KnownRegistry[]): string {
  const insecure = registries
    .filter(({ isInsecure }) => isInsecure)
    .map(({ host }) => `[[registry]]\nlocation = ${JSON.stringify(host)}\ninsecure = true\n`)
  return [
    'unqualified-search-registries = ["docker.io"]\nshort-name-mode = "disabled"\n',
    ...insecure,
  ].join('\n')
}

function authFile(registries: readonly KnownRegistry[]): string {
  const auths: Record<string, { auth: string }> = {}
  for (const { host, accountName, accountSecret } of registries) {
    if (accountName && accountSecret) {
      auths[host] = { auth: Buffer.from(`${accountName}:${accountSecret}`).toString('base64') }
    }
  }
  return JSON.stringify({ auths })
}
