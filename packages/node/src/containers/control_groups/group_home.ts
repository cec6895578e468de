import { mkdir, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

import { descendants, parentOf, procFile, procLink } from '#node/containers/process_tree'
import { GROUPS_PATH, groupFile, isUnified, type GroupFolders } from './group_folders.js'

/** Where the node itself is when its group has others within it: a group has either processes or groups. */
const OWN_GROUP = 'hub-node'
const NEEDED = ['memory', 'pids']
const PROGRAM = 'node'

/**
 * The group in which this process may make further ones. Throws if there is none: with version 2, one has to be
 * delegated to the node (`Delegate=yes` of systemd), with version 1, only root has one.
 */
export function groupHome(): Promise<GroupFolders> | GroupFolders {
  return isUnified() ? unifiedHome() : separateHome()
}

function separateHome(): GroupFolders {
  const folderOf = (controller: string) => {
    const path = ownPath(controller)
    return path === undefined ? undefined : `${GROUPS_PATH}/${controller}${path}`
  }
  return {
    memory: required(folderOf('memory')),
    pids: required(folderOf('pids')),
    cpu: folderOf('cpu'),
  }
}

async function unifiedHome(): Promise<GroupFolders> {
  const own = join(GROUPS_PATH, required(ownPath('')))
  const home = basename(own) === OWN_GROUP ? dirname(own) : own
  const available = wordsOf(`${home}/cgroup.controllers`)
  const controllers = [...NEEDED, 'cpu'].filter((name) => available.includes(name))
  const given = wordsOf(`${home}/cgroup.subtree_control`)
  if (!NEEDED.every((name) => given.includes(name))) {
    await moveInto(home)
    await writeFile(
      `${home}/cgroup.subtree_control`,
      controllers.map((name) => `+${name}`).join(' ')
    )
  }
  const hasCpu = wordsOf(`${home}/cgroup.subtree_control`).includes('cpu')
  return { memory: home, pids: home, ...(hasCpu && { cpu: home }) }
}

/** The group of this process in the hierarchy of a controller; the unified one has no name. */
function ownPath(controller: string): string | undefined {
  const lines = procFile('self/cgroup').trim().split('\n')
  const hierarchies = lines.map((line) => /^\d+:([^:]*):(.*)$/.exec(line))
  return hierarchies.find((match) => match?.[1]!.split(',').includes(controller))?.[2]
}

function required(path: string | undefined): string {
  if (path === undefined) {
    throw new Error('This machine has no control groups for memory and processes')
  }
  return path
}

/** Moves only the node into a group of its own. It stays where a shell or a login shares its group. */
async function moveInto(home: string): Promise<void> {
  const pids = wordsOf(`${home}/cgroup.procs`).map(Number)
  const first = firstAncestor(pids)
  const own = new Set([first, ...descendants(first)])
  if (!pids.every((pid) => own.has(pid))) {
    throw new Error('The control group of the node has other processes')
  }
  const ownGroup = `${home}/${OWN_GROUP}`
  await mkdir(ownGroup, { recursive: true })
  for (const pid of pids) {
    await writeFile(`${ownGroup}/cgroup.procs`, String(pid))
  }
}

/** The program of the node starts as up to three processes of Node.js, each of which starts the next one. */
function firstAncestor(pids: readonly number[]): number {
  let found = process.pid
  const isPartOfIt = (pid: number) =>
    pids.includes(pid) && basename(procLink(`${pid}/exe`)) === PROGRAM
  for (let next = process.ppid; isPartOfIt(next); next = parentOf(next)) {
    found = next
  }
  return found
}

const wordsOf = (path: string): string[] => groupFile(path).split(/\s+/).filter(Boolean)
