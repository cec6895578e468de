import { existsSync } from 'node:fs'
import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

import { parseDocument } from 'yaml'

import { EXIT } from '#hubctl/exit_codes'
import { yamlOf } from '#hubctl/output/yaml'
import { Problem } from '#hubctl/problem'
import { writeDataSets } from './data_sets.js'
import type { SandboxNode } from './network.js'
import { Part } from './part.js'
import { repositoryFolder } from './repository.js'
import type { SandboxFolder } from './sandbox_folder.js'

export interface NodePartOptions {
  readonly url: string
  /** The keys of the hub that the node trusts, in PEM. */
  readonly signingKeys: string
  /** Arguments for the isolation of containers. */
  readonly isolation: readonly string[]
  readonly environment: NodeJS.ProcessEnv
}

const READY = / is ready$/m
const READY_MS = 120_000
const POLL_MS = 100
const AGGREGATED_AT_ONCE = 8

/** Starts a node whose files are written. `goesOn` adds to the log of its former process. */
export function startNode(
  folder: SandboxFolder,
  node: SandboxNode,
  { isolation, environment }: NodePartOptions,
  { goesOn = false } = {}
): Promise<Part> {
  const path = folder.node(node.name)
  return Part.start({
    name: node.name,
    program: process.execPath,
    args: [programFile(), 'run', join(path, 'node.yaml'), ...isolation],
    environment,
    folder: path,
    log: logOf(folder, node),
    goesOn,
  })
}

/** The bytes of the log of a node so far. */
export async function logLength(folder: SandboxFolder, node: SandboxNode): Promise<number> {
  const found = await stat(logOf(folder, node)).catch(() => undefined)
  return found?.size ?? 0
}

/** Resolves when the node is logged in and looks for work, which its log says from a byte on. */
export async function nodeReady(
  part: Part,
  folder: SandboxFolder,
  node: SandboxNode,
  from = 0
): Promise<void> {
  const log = logOf(folder, node)
  for (const deadline = Date.now() + READY_MS; ; await pause(POLL_MS)) {
    const bytes = await readFile(log)
    const text = bytes.subarray(from).toString()
    if (READY.test(text)) {
      return
    }
    if (!part.isRunning || Date.now() > deadline) {
      const lines = text.trim().split('\n').slice(-3)
      throw new Problem(EXIT.failed, `The node ${node.name} did not start.`, [
        ...lines,
        `Its log is in ${log}`,
      ])
    }
  }
}

/** Writes the settings, the policy and the data of a node. What somebody has changed since stays as it is. */
export async function writeNodeFiles(
  folder: SandboxFolder,
  { name, hospital }: SandboxNode,
  url: string,
  signingKeys: string,
  images = folder.images
): Promise<void> {
  const path = folder.node(name)
  const settings = {
    hub: url,
    credentials: 'credentials.json',
    approver: 'approver.json',
    signingKey: 'hub.pub',
    images,
    policy: 'policy.yaml',
    data: 'state',
  }
  const source = { name: 'hospital', folder: 'data', projects: ['*'] }
  // An aggregator takes part in every analysis.
  const own = hospital ? { data: [source] } : { atOnce: AGGREGATED_AT_ONCE }
  const policy = { approve: 'auto', ...own }
  await writeFile(join(path, 'hub.pub'), `${signingKeys}\n`)
  await writeSettings(join(path, 'node.yaml'), settings)
  await writeOnce(join(path, 'policy.yaml'), (file) => writeFile(file, `${yamlOf(policy)}\n`))
  if (hospital) {
    await writeOnce(join(path, 'data'), (data) => writeDataSets(data, hospital))
  }
}

/** The hub and its images may be elsewhere at each start; the rest is written once. */
async function writeSettings(
  file: string,
  settings: Readonly<Record<string, string>>
): Promise<void> {
  await writeOnce(file, (next) => writeFile(next, `${yamlOf(settings)}\n`))
  const document = parseDocument(await readFile(file, 'utf8'))
  document.set('hub', settings.hub)
  document.set('images', settings.images)
  await writeFile(file, document.toString())
}

/** Writes a file or folder that is not there, whole or not at all. */
async function writeOnce(path: string, write: (next: string) => Promise<void>): Promise<void> {
  if (existsSync(path)) {
    return
  }
  const next = `${path}.new`
  await rm(next, { recursive: true, force: true })
  await write(next)
  await rename(next, path)
}

export const programFile = (): string => join(repositoryFolder(), 'packages/node/hub-node.js')

const logOf = (folder: SandboxFolder, { name }: SandboxNode): string =>
  join(folder.logs, `${name}.log`)
