import { readdir, readFile, readlink } from 'node:fs/promises'

import { EXIT } from '#hubctl/exit_codes'
import { Problem } from '#hubctl/problem'
import { processStat } from './process_stat.js'

/** A socket that listens, as /proc/net/tcp writes it. */
const LISTENS = '0A'
const SOCKET = /^socket:\[(\d+)\]$/
const TABLES = ['/proc/net/tcp', '/proc/net/tcp6']

/** Refuses a port at which another program listens, at any address of this machine. */
export async function requireFreePort(port: number): Promise<void> {
  const listening = await listeningSockets(port)
  if (listening.length > 0) {
    throw new Problem(EXIT.refused, `Another program listens at the port ${port} already.`, [
      'End it, or choose another port: --port <port>',
    ])
  }
}

/**
 * Whether a process, or one that descends from it, listens at a port, and no other process does at any address, as the
 * kernel says.
 */
export async function isPortOf(ancestor: number, port: number): Promise<boolean> {
  const [listening, own] = await Promise.all([listeningSockets(port), socketsOf(ancestor)])
  return listening.length > 0 && listening.every((inode) => own.has(inode))
}

async function listeningSockets(port: number): Promise<string[]> {
  const tables = await Promise.all(TABLES.map((file) => readFile(file, 'utf8').catch(() => '')))
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  return tables
    .flatMap((table) => table.split('\n').map((line) => line.trim().split(/\s+/)))
    .filter((fields) => fields[1]?.endsWith(suffix) && fields[3] === LISTENS)
    .map((fields) => fields[9]!)
}

/** The sockets that a process and those that descend from it have open. */
async function socketsOf(ancestor: number): Promise<ReadonlySet<string>> {
  const names = await readdir('/proc')
  const ids = names.filter((name) => /^\d+$/.test(name)).map(Number)
  const parents = new Map(
    await Promise.all(ids.map(async (id) => [id, await parentOf(id)] as const))
  )
  const found = await Promise.all(
    ids.filter((id) => descends(id, ancestor, parents)).map(socketsOfProcess)
  )
  return new Set(found.flat())
}

function descends(
  id: number,
  ancestor: number,
  parents: ReadonlyMap<number, number | undefined>
): boolean {
  for (let each: number | undefined = id; each !== undefined; each = parents.get(each)) {
    if (each === ancestor) {
      return true
    }
  }
  return false
}

/** Undefined if the process has ended meanwhile. */
async function parentOf(id: number): Promise<number | undefined> {
  const stat = await processStat(id)
  return stat?.[1] === undefined ? undefined : Number(stat[1])
}

async function socketsOfProcess(id: number): Promise<string[]> {
  const folder = `/proc/${id}/fd`
  const files = await readdir(folder).catch(() => [])
  const targets = await Promise.all(
    files.map((file) => readlink(`${folder}/${file}`).catch(() => ''))
  )
  return targets.flatMap((target) => SOCKET.exec(target)?.[1] ?? [])
}
