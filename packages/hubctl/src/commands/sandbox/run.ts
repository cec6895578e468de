import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { runFolder } from '#hubctl/commands/analysis_run/run'
import { EXIT } from '#hubctl/exit_codes'
import type { Invocation } from '#hubctl/invocation'
import { Problem } from '#hubctl/problem'
import { exampleFolder } from '#hubctl/sandbox/examples'
import { differences, readExpectation, readResult } from '#hubctl/sandbox/expectation'
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
  await requireSandbox(new SandboxFolder(options))
  const folder = await exampleFolder(nameOrFolder)
  const expectation = await readExpectation(folder)
  const to = options.to ?? (await mkdtemp(join(tmpdir(), 'hub-result-')))
  const run = sandboxInvocation(invocation, {
    project: PROJECT,
    image: MASTER_IMAGE,
    entrypoint: 'main.py',
    timeout: TIMEOUT_SECONDS,
    to,
  })
  if (expectation?.fails) {
    return requireFailure(runFolder(run, folder), nameOrFolder, output)
  }
  const result = await readResult(await runFolder(run, folder))
  output.line(result.trimEnd())
  const different =
    expectation === undefined ? [] : differences(JSON.parse(result), expectation.result)
  if (different.length > 0) {
    throw new Problem(EXIT.found, 'The result is not the expected one.', different)
  }
  output.done(expectation ? 'The result is the expected one' : 'The analysis has ended')
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
