import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

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
}

const READY = / is ready$/m
const READY_MS = 120_000
const POLL_MS = 100
const AGGREGATED_AT_ONCE = 8

/** Writes the settings, the policy and the data of a node, and starts it. */
export async function startNode(
  folder: SandboxFolder,
  node: SandboxNode,
  { url, signingKeys, isolation }: NodePartOptions
): Promise<Part> {
  const path = folder.node(node.name)
  await writeNodeFiles(folder, node, url, signingKeys)
  return Part.start({
    name: node.name,
    program: process.execPath,
    args: [programFile(), 'run', join(path, 'node.yaml'), ...isolation],
    environment: process.env,
    folder: path,
    log: logOf(folder, node),
  })
}

/** Resolves when the node is logged in and looks for work. */
export async function nodeReady(
  part: Part,
  folder: SandboxFolder,
  node: SandboxNode
): Promise<void> {
  const log = logOf(folder, node)
  for (const deadline = Date.now() + READY_MS; ; await pause(POLL_MS)) {
    const text = await readFile(log, 'utf8')
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
  await writeFile(join(path, 'node.yaml'), `${yamlOf(settings)}\n`)
  await writeFile(join(path, 'policy.yaml'), `${yamlOf(policy)}\n`)
  if (hospital) {
    await writeDataSets(join(path, 'data'), hospital)
  }
}

export const programFile = (): string => join(repositoryFolder(), 'packages/node/hub-node.js')

const logOf = (folder: SandboxFolder, { name }: SandboxNode): string =>
  join(folder.logs, `${name}.log`)
