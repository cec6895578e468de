import { Command } from 'commander'

import { EXIT, type ExitCode } from '#hubctl/exit_codes'
import { perform, type Invocation } from '#hubctl/invocation'
import { watchable } from '#hubctl/options'
import { parseInterval, watch } from '#hubctl/output/watch'
import { Problem } from '#hubctl/problem'
import type { Api } from '#hubctl/platform/api'
import { serviceStates } from '#hubctl/platform/service_states'
import { versionAdvice } from '#hubctl/platform/version_fit'
import { readInstallation, type Installation } from '#hubctl/platform/installation'
import { linesOfInstallation, linesOfServices } from './status_lines.js'

export function statusCommand(): Command {
  return watchable(
    new Command('status').description(
      'show whether each service responds; to operators also queues, stuck analyses and expiring credentials'
    )
  ).action(perform(status))
}

async function status(invocation: Invocation<{ watch?: string | boolean }>) {
  return watch(parseInterval(invocation.options.watch), () => show(invocation))
}

async function show(invocation: Invocation): Promise<ExitCode> {
  const { output } = invocation
  const api = await invocation.api()
  const services = await serviceStates(api.addresses)
  const result = await installationFor(api)
  const installation = result === 'of others' ? undefined : result
  if (output.isTable) {
    output.lines(linesOfServices(services))
    output.lines(installation ? linesOfInstallation(installation) : [])
  } else {
    output.value({ services, installation: installation ?? null })
  }
  const advice = versionAdvice(services)
  if (advice) {
    output.note(advice)
  }
  if (result === 'of others') {
    output.note('Users with the permission service_manage in the master realm see more.')
  }
  if (!services.every(({ answers }) => answers)) {
    return EXIT.unreachable
  }
  return installation && needsAttention(installation) ? EXIT.found : EXIT.done
}

/** Resolves to undefined if core does not respond. */
async function installationFor(api: Api): Promise<Installation | 'of others' | undefined> {
  try {
    return await readInstallation(api)
  } catch (error) {
    if (!(error instanceof Problem)) {
      throw error
    }
    const isOfOthers = error.exitCode === EXIT.permission || error.exitCode === EXIT.login
    return isOfOthers ? 'of others' : undefined
  }
}

function needsAttention({ queues, stuck, surfaces, credentials }: Installation): boolean {
  return (
    queues.some(({ dead }) => dead !== 0) ||
    stuck.length > 0 ||
    credentials.some(({ isRenewed }) => !isRenewed) ||
    surfaces.some(({ isReady }) => !isReady)
  )
}
