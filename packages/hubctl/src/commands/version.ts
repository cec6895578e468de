import { Command } from 'commander'

import { perform, type Invocation } from '#hubctl/invocation'
import { serviceStates } from '#hubctl/platform/service_states'
import { versionAdvice } from '#hubctl/platform/version_fit'
import { VERSION } from '#kernel/version'

export function versionCommand(): Command {
  return new Command('version')
    .description('show the version of hubctl, and those of the services of the hub')
    .action(perform(showVersions))
}

async function showVersions(invocation: Invocation): Promise<void> {
  const { addresses } = await invocation.api()
  const services = await serviceStates(addresses)
  const rows = services.map(({ service, version, reason }) => ({
    name: service,
    version,
    address: addresses.of(service),
    reason,
  }))
  invocation.output.records(
    [{ name: 'hubctl', version: VERSION, address: null, reason: null }, ...rows],
    { kind: 'program', columns: ['name', 'version', 'address', 'reason'] }
  )
  const advice = versionAdvice(services)
  if (advice) {
    invocation.output.note(advice)
  }
}
