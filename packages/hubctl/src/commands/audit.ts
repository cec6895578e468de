import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'

import { Command } from 'commander'

import { EXIT, type ExitCode } from '#hubctl/exit_codes'
import { perform, type Invocation } from '#hubctl/invocation'
import { writeUntrusted } from '#hubctl/output/write_untrusted'
import type { Answer } from '#client/answer'
import { boundedBody } from '#client/body'

type Verification = Answer<'telemetry.verifyEvents'>

/** The platform reads the whole trail before it responds. */
const TIMEOUT_MS = 3_600_000
/** It may look up much between two lines of an export. */
const PAUSE_MS = 600_000

export function auditCommand(): Command {
  return new Command('audit')
    .description('verify that nobody changed the audit trail')
    .addCommand(
      new Command('verify')
        .description('check the whole trail; exits with 9 if it was changed')
        .action(perform(verify))
    )
    .addCommand(
      new Command('export')
        .description('write the trail with its proof, for verification without the hub')
        .option('--to <file>', 'a new file (default: standard output)')
        .addHelpText(
          'after',
          '\nCheck it anywhere: node bin/verify_events.mjs <file> <fingerprint>'
        )
        .action(perform(exportTrail))
    )
}

async function verify(invocation: Invocation): Promise<ExitCode> {
  const { output } = invocation
  const api = await invocation.api()
  const { data } = await api.read<Verification>('telemetry', '/events/verify', {
    timeoutMs: TIMEOUT_MS,
  })
  if (output.isTable) {
    showVerification(invocation, data)
  } else {
    output.value(data)
  }
  return data.intact ? EXIT.done : EXIT.found
}

function showVerification({ output }: Invocation, verification: Verification['data']): void {
  const {
    intact,
    chains,
    batches,
    events,
    removed,
    found,
    findings,
    unanchored = [],
  } = verification
  findings.forEach(({ type, chain, number, id }) =>
    output.line(
      [type, `chain ${chain}`, number === undefined ? '' : `batch ${number}`, id]
        .filter(Boolean)
        .join('  ')
    )
  )
  unanchored.forEach((chain) =>
    output.note(`The head of ${chain} is not anchored outside of the database yet.`)
  )
  const counts = Object.entries(verification.reporters ?? {})
  if (counts.length > 0) {
    output.note(`Reported by ${counts.map(([type, count]) => `${type} ${count}`).join(', ')}.`)
  }
  const summary = `${events} events in ${batches} batches of ${chains} chains, ${removed} removed in order`
  if (intact) {
    output.done(`Intact: ${summary}`)
  } else {
    output.line(`${found} findings: ${summary}`)
  }
}

/** Only the owner may read the file: events name who did what. */
async function exportTrail(invocation: Invocation<{ to?: string }>): Promise<void> {
  const { to } = invocation.options
  const api = await invocation.api()
  const { body } = await api.open('telemetry', '/events/export', {
    headers: { accept: 'application/x-ndjson' },
    timeoutMs: TIMEOUT_MS,
  })
  if (body) {
    const lines = boundedBody(body, { windowMs: PAUSE_MS })
    await (to === undefined
      ? writeUntrusted(lines)
      : pipeline(lines, createWriteStream(to, { flags: 'wx', mode: 0o600 })))
  }
  if (to !== undefined) {
    invocation.output.done(`The audit trail is in ${to}`)
  }
}
