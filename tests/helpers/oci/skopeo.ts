import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

import type { RegistryAccess } from '#tests/services/servers/docker_registry'

const run = promisify(execFile)

/** Copies a tag between repositories of a registry with skopeo. */
export async function skopeoCopy(
  { host, accountName, accountSecret }: RegistryAccess,
  from: string,
  to: string,
  tag = 'latest'
): Promise<void> {
  const account = `${accountName}:${accountSecret}`
  await run('skopeo', [
    ...['copy', '--quiet', '--src-tls-verify=false', '--dest-tls-verify=false'],
    ...['--src-creds', account, '--dest-creds', account],
    `docker://${host}/${from}:${tag}`,
    `docker://${host}/${to}:${tag}`,
  ])
}
