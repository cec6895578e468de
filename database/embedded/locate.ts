import { connectionUrl } from './connection_url.js'
import { DataFolder } from './data_folder.js'
import { readPidFile, worksIn } from './pid_file.js'

/** The URL of the embedded database if it runs, else undefined. Starts and changes nothing. */
export async function locateEmbeddedPostgres(
  dataDir: string,
  database = 'hub'
): Promise<string | undefined> {
  const folder = new DataFolder(dataDir)
  const noted = await readPidFile(folder.cluster)
  if (!noted?.ready || !(await worksIn(folder.cluster, noted.pid))) {
    return undefined
  }
  const password = await folder.password()
  return password && connectionUrl(noted.port, password, database)
}
