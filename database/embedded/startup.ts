import { findBinaries, linkLibraries } from './binaries.js'
import { createCluster, renewPassword } from './cluster.js'
import { connectionUrl } from './connection_url.js'
import type { DataFolder } from './data_folder.js'
import { createDatabases } from './databases.js'
import { PasswordRefused, PostgresFailed } from './errors.js'
import { freePort } from './free_port.js'
import type { Launcher } from './launcher.js'
import { endLeftovers } from './leftovers.js'
import { Postmaster } from './postmaster.js'
import { chooseLauncher } from './privileges.js'

const portAttempts = 3

/** Prepares the folder for a server, whatever an earlier start or stop left behind. */
export async function prepareCluster(
  folder: DataFolder,
  notify: (text: string) => void
): Promise<Launcher> {
  const binaries = await findBinaries()
  const exists = await folder.hasCluster()
  if (exists) {
    await folder.assertCluster(binaries.majorVersion)
    await endLeftovers(folder.cluster)
  }
  const libraryPath = await linkLibraries(binaries, folder.libraries)
  await folder.own(folder.libraries)
  const launcher = await chooseLauncher(folder.path, binaries, libraryPath)
  if (!exists) {
    notify(`Creating a PostgreSQL database in ${folder.path}.`)
    await createCluster(folder, launcher)
  } else if (!(await folder.password())) {
    notify(`Setting a new database password, because there is none in ${folder.path}.`)
    await renewPassword(folder, folder.cluster, launcher)
  }
  return launcher
}

/** Starts a server on its last port, or on another if that is in use. */
export async function launchOnFreePort(
  folder: DataFolder,
  launcher: Launcher
): Promise<Postmaster> {
  for (let attempt = 1; ; attempt++) {
    const lastPort = await folder.lastPort()
    const port = await freePort(lastPort)
    const postmaster = await Postmaster.launch(folder, port, launcher)
    try {
      await postmaster.ready()
      if (port !== lastPort) {
        await folder.rememberPort(port)
      }
      return postmaster
    } catch (error) {
      if (attempt === portAttempts || !lostPort(error)) {
        throw error
      }
    }
  }
}

/** Creates missing databases and returns the password. Stops the server on failure. */
export async function openDatabases(
  folder: DataFolder,
  postmaster: Postmaster,
  databases: readonly string[]
): Promise<string> {
  try {
    const password = await folder.password()
    if (!password) {
      throw new PasswordRefused(folder.passwordFile)
    }
    await createDatabases(connectionUrl(postmaster.port, password, 'postgres'), databases)
    return password
  } catch (error) {
    await postmaster.stop()
    throw error
  }
}

/** Another program took the port after the check. */
function lostPort(error: unknown): boolean {
  return error instanceof PostgresFailed && error.lastWords.includes('Address already in use')
}
