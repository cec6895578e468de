import { setTimeout as delay } from 'node:timers/promises'

import { Command } from 'commander'

import { EXIT, type ExitCode } from '#hubctl/exit_codes'
import { perform, type Invocation } from '#hubctl/invocation'
import { printable } from '#hubctl/output/printable'
import { Problem } from '#hubctl/problem'

interface Examination {
  readonly examinedAt: string | null
  readonly isExamining: boolean
  readonly findings: readonly {
    readonly code: string
    readonly severity: string
    readonly message: string
    readonly remedy: string
  }[]
}

const PATH = '/admin/examination'
const AGAIN_MS = 1_000
const MAX_READS = 60

/** The command `doctor`: what `node ace doctor` finds, without a shell on the machine. */
export function doctorCommand(): Command {
  return new Command('doctor')
    .description('have the platform examine itself; ends with 9 for any finding')
    .action(perform(examine))
}

async function examine(invocation: Invocation): Promise<ExitCode> {
  const { output } = invocation
  const api = await invocation.api()
  await api.change('POST', 'core', PATH)
  for (let reads = 0; reads < MAX_READS; reads++) {
    const { data } = await api.read<{ data: Examination }>('core', PATH)
    if (!data.isExamining && data.examinedAt !== null) {
      show(invocation, data)
      return data.findings.length === 0 ? EXIT.done : EXIT.found
    }
    output.note('examining…')
    await delay(AGAIN_MS)
  }
  throw new Problem(EXIT.unreachable, 'The examination did not end in time.', [
    'See why on a machine of the platform: node ace doctor',
  ])
}

function show({ output }: Invocation, examination: Examination): void {
  if (!output.isTable) {
    return output.value(examination)
  }
  for (const { code, severity, message, remedy } of examination.findings) {
    output.line(`${severity.padEnd(7)}  ${code}  ${printable(message)}`)
    output.line(`         ${printable(remedy)}`)
  }
  if (examination.findings.length === 0) {
    output.line('No problems found.')
  }
}
