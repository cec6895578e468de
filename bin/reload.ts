import { existsSync } from 'node:fs'

import { catalogue } from '#configuration/hub_catalogue'
import { readConfiguration } from '#configuration/read_configuration'
import { adminOrigin } from '#runtime/listen'
import { awaitReload, type ReloadState } from '#runtime/pool/reloads'

/** Reloads the pool whose primary has the pid of the argument. Exits with 0 when every process was replaced. */

if (existsSync('.env')) {
  process.loadEnvFile('.env')
}
// Not the whole environment: systemd shows the secrets to the service, and not to the command that reloads it.
const { PORT, ADMIN_PORT, ADMIN_HOST } = process.env
const { values } = readConfiguration(catalogue, { PORT, ADMIN_PORT, ADMIN_HOST })
const address = `${adminOrigin(values)}/reloads`
const primary = Number(process.argv[2])

try {
  if (await awaitReload(readState, () => process.kill(primary, 'SIGHUP'))) {
    console.log('Every process was replaced.')
  } else {
    console.error(
      'The reload failed, and the log of the pool says why. It continues with the processes it has.'
    )
    process.exitCode = 1
  }
} catch (error) {
  console.error(`The pool was not reloaded: ${(error as Error).message}`)
  process.exitCode = 1
}

async function readState(): Promise<ReloadState> {
  const response = await fetch(address).catch((cause) => {
    throw new Error(`its primary does not answer at ${address}`, { cause })
  })
  if (!response.ok) {
    throw new Error(`${address} answers with ${response.status}`)
  }
  return (await response.json()) as ReloadState
}
