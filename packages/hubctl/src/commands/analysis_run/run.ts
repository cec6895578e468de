import { basename, resolve } from 'node:path'

import { Command } from 'commander'

import { perform, type Invocation } from '#hubctl/invocation'
import { collect, wholeNumber } from '#hubctl/options'
import { printable } from '#hubctl/output/printable'
import { codeIn } from './code_folder.js'
import { createAnalysis } from './create_analysis.js'
import { executeAnalysis } from './execute_analysis.js'
import { downloadResults } from './download_results.js'
import { RunProgress } from './run_progress.js'

export interface RunOptions {
  readonly project: string
  readonly name?: string
  readonly image: string
  readonly entrypoint: string
  readonly node?: readonly string[]
  readonly to?: string
  readonly timeout: number
}

const HELP = `
Creates an analysis from a folder, uploads its code, locks it, waits for its
approvals, builds and distributes it, follows its execution, and downloads its
result. What begins with a dot, __pycache__, and the README.md and expected.json
of the folder itself stay here. Ctrl-C ends only the command: the analysis goes
on.

Examples:
  hubctl analysis run examples/mean --project study
  hubctl analysis run mean --project study --node north --node center --to out`

export function runCommand(): Command {
  return new Command('run')
    .description('take a folder of code to its nodes, and fetch the result')
    .argument('<folder>', 'the folder with the code')
    .requiredOption('-p, --project <project>', 'the project, by id or name')
    .option('--name <name>', 'the name of the analysis (default: the folder and the time)')
    .option('--image <image>', 'the path of the master image', 'python/base')
    .option('--entrypoint <file>', 'the file to start', 'main.py')
    .option('--node <node>', 'a node to run at; repeatable (default: all of the project)', collect)
    .option('--to <folder>', 'where to put the result (default: ./<name>)')
    .option('--timeout <seconds>', 'maximum time to wait', wholeNumber, 3600)
    .addHelpText('after', HELP)
    .action(
      perform(async (invocation: Invocation<RunOptions>, folder: string) => {
        await runFolder(invocation, folder)
      })
    )
}

/** Runs the code of a folder, and returns the folder of its result. Fails if the execution does. */
export async function runFolder(
  invocation: Invocation<RunOptions>,
  folder: string
): Promise<string> {
  const { options, output } = invocation
  const api = await invocation.api()
  const { code, staying } = await codeIn(folder, options.entrypoint)
  if (staying.length > 0) {
    output.note(`Not part of the analysis: ${listed(staying)}`)
  }
  const name = options.name ?? `${basename(resolve(folder))}-${timeStamp()}`
  const progress = new RunProgress(output)
  const analysis = await createAnalysis(api, { ...options, name, code }, output, progress)
  await executeAnalysis(api, analysis, options.timeout, progress)
  const target = options.to ?? name
  await downloadResults(api, analysis, target, output)
  return target
}

const MOST_LISTED = 10

/** The first paths, and how many there are besides. */
function listed(paths: readonly string[]): string {
  const others = paths.length - MOST_LISTED
  const first = paths.slice(0, MOST_LISTED).map(printable).join(', ')
  return others > 0 ? `${first} and ${others} more` : first
}

/** Tells runs of one folder apart. */
const timeStamp = (): string => new Date().toISOString().slice(0, 19).replaceAll(/[-:]/g, '')
