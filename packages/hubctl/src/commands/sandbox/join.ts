import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join, resolve } from 'node:path'

import { EXIT, type ExitCode } from '#hubctl/exit_codes'
import type { Invocation } from '#hubctl/invocation'
import { UsageProblem } from '#hubctl/problem'
import type { SandboxNode } from '#hubctl/sandbox/network'
import { programFile, writeNodeFiles } from '#hubctl/sandbox/node_part'
import { SandboxFolder, type FolderOption } from '#hubctl/sandbox/sandbox_folder'
import { SandboxSeed } from '#hubctl/sandbox/seed_hub'
import { isolationArguments, type IsolationOption } from './up.js'

interface JoinOptions extends IsolationOption, FolderOption {
  readonly aggregator?: boolean
  readonly images?: string
}

const SETTINGS = /\.ya?ml$/
const NAME = /^[a-z0-9][a-z0-9-]{1,62}$/
const PATIENTS = 100

/** Runs a node at another hub in this terminal: one with a settings file, or a new one. */
export async function joinHub(
  invocation: Invocation<JoinOptions>,
  settingsOrName: string
): Promise<ExitCode> {
  const settings = SETTINGS.test(settingsOrName)
    ? resolve(settingsOrName)
    : await createNode(invocation, settingsOrName)
  return runNode(settings, isolationArguments(invocation.options))
}

/** Creates a node with the login at that hub, which has to be allowed to, and returns its settings file. */
async function createNode(invocation: Invocation<JoinOptions>, name: string): Promise<string> {
  const { options, output } = invocation
  if (!NAME.test(name)) {
    throw new UsageProblem(
      `"${name}" is neither a settings file (.yaml) nor a name.`,
      'A name has lower-case letters, digits and dashes.'
    )
  }
  const { context } = await invocation.target()
  const folder = new SandboxFolder(options)
  const seed = new SandboxSeed(await invocation.api(), folder)
  const node = newNode(name, options.aggregator ?? false)
  const keys = await seed.signingKeys()
  await seed.newNode(node)
  const images = options.images === undefined ? undefined : resolve(options.images)
  await writeNodeFiles(folder, node, context.url, keys, images)
  output.done(`${name} is a node of ${context.url}, in the realm ${node.realm}`)
  output.note(`Its settings, its policy and its data are in ${folder.node(name)}`)
  output.note(`Give it work: hubctl create project-node projectId=<project> nodeId=${name}`)
  return join(folder.node(name), 'node.yaml')
}

function newNode(name: string, isAggregator: boolean): SandboxNode {
  if (isAggregator) {
    return { name, type: 'aggregator', realm: name }
  }
  const hospital = { name, seed: seedOf(name), patients: PATIENTS, meanAge: 60 }
  return { name, type: 'default', realm: name, hospital: { ...hospital, measuresCreatinine: true } }
}

/** The same for the same name. */
const seedOf = (name: string): number =>
  [...name].reduce((seed, letter) => (seed * 31 + letter.codePointAt(0)!) >>> 0, 7)

/** Ctrl-C reaches the node as well, so this process only waits for its end. */
async function runNode(settings: string, isolation: readonly string[]): Promise<ExitCode> {
  const args = [programFile(), 'run', settings, ...isolation]
  const node = spawn(process.execPath, args, { stdio: 'inherit' })
  process.removeAllListeners('SIGINT')
  process.on('SIGINT', () => {})
  process.on('SIGTERM', () => node.kill('SIGTERM'))
  const [code] = (await once(node, 'exit')) as [number | null]
  return code === 0 ? EXIT.done : EXIT.failed
}
