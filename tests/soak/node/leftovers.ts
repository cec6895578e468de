import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'

import { NODES } from '#hubctl/sandbox/network'
import { remainsOf, type Traces } from '#tests/helpers/node/machine_traces'
import { livingIn, procFile } from '#tests/services/servers/process_table'
import type { SoakedSandbox } from './soaked_sandbox.js'

/** Folders of a node that are empty while nothing runs there and everything was sent. */
const EMPTY_AT_REST = ['containers', 'transfers', 'outgoing']

/** What is left of analyses that have ended: processes, namespaces, mounts, control groups, sockets and folders. */
export async function leftovers(
  sandbox: SoakedSandbox,
  traces: ReadonlyMap<string, Traces>
): Promise<string[]> {
  const remains = [...traces].flatMap(([id, found]) => remainsOf(id, found))
  return [...remains, ...(await mountsIn(sandbox.folder)), ...(await filesLeftIn(sandbox))]
}

/** The processes that know the folder of a sandbox. */
export function livingProcesses({ folder }: SoakedSandbox): string[] {
  return livingIn(folder).map((pid) => procFile(pid, 'cmdline').replaceAll('\0', ' '))
}

async function filesLeftIn(sandbox: SoakedSandbox): Promise<string[]> {
  const kept = NODES.flatMap(({ name }) =>
    EMPTY_AT_REST.map((folder) => join(sandbox.nodeFolder(name), folder))
  )
  const sockets = await sandbox.socketFolders()
  const spare = sockets.length > NODES.length ? [`socket folders: ${sockets.join()}`] : []
  const folders = [...kept, ...sockets.map((name) => join(sandbox.socketFolder, name))]
  const found = await Promise.all(
    folders.map(async (folder) =>
      (await namesIn(folder)).map((name) => `${basename(folder)}/${name}`)
    )
  )
  return [...spare, ...found.flat(), ...(await socketsIn(sandbox, sockets))]
}

/** Sockets of the kernel whose folder is gone. */
async function socketsIn(
  { socketFolder }: SoakedSandbox,
  folders: readonly string[]
): Promise<string[]> {
  const lines = (await readFile('/proc/net/unix', 'utf8')).split('\n')
  return lines.filter(
    (line) =>
      line.includes(`${socketFolder}/`) && !folders.some((folder) => line.includes(`/${folder}/`))
  )
}

async function mountsIn(folder: string): Promise<string[]> {
  const mounts = await readFile('/proc/self/mountinfo', 'utf8')
  return mounts.split('\n').filter((line) => line.includes(folder))
}

const namesIn = (folder: string): Promise<string[]> => readdir(folder).catch(() => [])
