import { mkdir, mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'

import { runFolder } from '#hubctl/commands/analysis_run/run'
import { EXIT } from '#hubctl/exit_codes'
import type { Invocation } from '#hubctl/invocation'
import { bytes } from '#hubctl/output/bytes'
import { printable, printableLines } from '#hubctl/output/printable'
import { namingContext, Problem } from '#hubctl/problem'
import { exampleFolder } from '#hubctl/sandbox/examples'
import {
  differences,
  readExpectation,
  readResult,
  textOf,
  valueOf,
  type ResultFile,
} from '#hubctl/sandbox/expectation'
import { MASTER_IMAGE, PROJECT } from '#hubctl/sandbox/network'
import { requireSandbox } from '#hubctl/sandbox/running_sandbox'
import { SandboxFolder, type FolderOption } from '#hubctl/sandbox/sandbox_folder'
import { sandboxInvocation } from './sandbox_invocation.js'

interface RunExampleOptions extends FolderOption {
  readonly to?: string
}

const TIMEOUT_SECONDS = 600

/** Runs an example in the sandbox. Its result has to be the expected one, if it names one. */
export async function runExample(
  invocation: Invocation<RunExampleOptions>,
  nameOrFolder: string
): Promise<void> {
  const { options, output } = invocation
  const sandbox = new SandboxFolder(options)
  const state = await requireSandbox(sandbox)
  const folder = await exampleFolder(nameOrFolder)
  const expectation = await readExpectation(folder)
  const to = options.to ?? (await resultFolder(sandbox))
  const run = sandboxInvocation(invocation, state, {
    project: PROJECT,
    image: MASTER_IMAGE,
    entrypoint: 'main.py',
    timeout: TIMEOUT_SECONDS,
    to,
  })
  const running = namingContext(state.context, () => runFolder(run, folder))
  if (expectation?.fails) {
    return requireFailure(running, nameOrFolder, output)
  }
  const result = await readResult(await running)
  showResult(result, output)
  const different =
    expectation === undefined ? [] : differences(valueOf(result), expectation.result)
  if (different.length > 0) {
    throw new Problem(EXIT.found, 'The result is not the expected one.', different)
  }
  output.done(expectation ? 'The result is the expected one' : 'The analysis has ended')
}

/** A new one, which goes with the sandbox. */
async function resultFolder({ results }: SandboxFolder): Promise<string> {
  await mkdir(results, { recursive: true, mode: 0o700 })
  return mkdtemp(join(results, 'result-'))
}

/** The text of the only file, or each file with its path. */
function showResult(files: readonly ResultFile[], output: Invocation['output']): void {
  for (const file of files) {
    if (files.length > 1) {
      output.line(`${printable(file.path)}:`)
    }
    output.line(printableLines((textOf(file) ?? bytes(file.bytes.length)).trimEnd()))
  }
}

async function requireFailure(
  run: Promise<string>,
  name: string,
  output: Invocation['output']
): Promise<void> {
  try {
    await run
  } catch (error) {
    if (error instanceof Problem && error.exitCode === EXIT.failed) {
      return output.done(`${name} has failed, as expected`)
    }
    throw error
  }
  throw new Problem(EXIT.found, `${name} should have failed, but has a result.`)
}
