import { EXIT, type ExitCode } from '#hubctl/exit_codes'
import type { Invocation } from '#hubctl/invocation'
import { Problem } from '#hubctl/problem'
import { runningSandbox } from '#hubctl/sandbox/running_sandbox'
import { SandboxFolder, type FolderOption } from '#hubctl/sandbox/sandbox_folder'
import { Supervisor } from '#hubctl/sandbox/supervisor'

export interface IsolationOption {
  readonly isolation?: string
}

interface UpOptions extends IsolationOption, FolderOption {
  readonly port: number
  readonly withRealParts?: boolean
}

/** Starts a sandbox, and ends it at Ctrl-C, at SIGTERM, or when its hub ends. */
export async function up({ options, output }: Invocation<UpOptions>): Promise<ExitCode> {
  const folder = new SandboxFolder(options)
  if (await runningSandbox(folder)) {
    throw new Problem(EXIT.refused, 'The sandbox is running already.', [
      `End it: ${folder.command('down')}`,
    ])
  }
  const { port, withRealParts = false } = options
  const isolation = isolationArguments(options)
  const supervisor = new Supervisor(folder, { port, withRealParts, isolation }, output)
  const interrupted = interruption()
  try {
    await Promise.race([supervisor.up(), interrupted])
    output.note('')
    output.note(
      `Ready. In another terminal: ${folder.command('run mean')}. Ctrl-C ends everything.`
    )
    const part = await Promise.race([supervisor.ended(), interrupted])
    if (part !== undefined) {
      throw new Problem(EXIT.failed, `${part} has ended by itself.`, [
        `See why: ${folder.command(`logs ${part}`)}`,
      ])
    }
    return EXIT.done
  } finally {
    output.note('Ends everything.')
    await supervisor.down()
  }
}

export const isolationArguments = ({ isolation }: IsolationOption): string[] =>
  isolation === undefined ? [] : ['--isolation', isolation]

/** Resolves at the first signal. hubctl would otherwise end at once. */
function interruption(): Promise<undefined> {
  process.removeAllListeners('SIGINT')
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => resolve(undefined))
    }
  })
}
