import { BaseCommand } from '@adonisjs/core/ace'

import type { Finding } from '#telemetry/trail/check_batch'

export default class AuditVerify extends BaseCommand {
  static commandName = 'audit:verify'
  static description = 'Check that nobody changed, inserted or removed audit events outside the hub'
  static help = [
    'Ends with 0 where the audit trail is as it was written, with 1 where it is not.',
    'The fingerprint is that of the key which signed it: write it down somewhere else.',
  ]
  static options = { startApp: true }

  async run() {
    const { TrailService } = await import('#telemetry/trail/trail_service')
    const { trailKey } = await import('#telemetry/trail/trail_key')
    const { drain } = await import('#kernel/drain')
    const trail = await this.app.container.make(TrailService)
    const task = this.logger.await('looking at the audit trail').start()
    const verdict = await trail
      .verifyChains({
        signal: drain.signal,
        progress: (events) => task.update(`looked at ${events} events`),
      })
      .finally(() => task.stop())
    verdict.findings.forEach((finding) => this.logger.error(findingText(finding)))
    const { chains, batches, events, removed, reporters, found, unanchored } = verdict
    const summary = `${events} events in ${batches} batches of ${chains} realms, ${removed} removed in order`
    unanchored.forEach((chain) =>
      this.logger.warning(`the end of ${chain} is not noted yet outside of the database`)
    )
    this.logger.info(`key ${trailKey().fingerprint}`)
    const counts = Object.entries(reporters).map(([type, count]) => `${type} ${count}`)
    this.logger.info(`reported by ${counts.join(', ') || 'nobody'}`)
    if (verdict.intact) {
      return this.logger.success(`intact: ${summary}`)
    }
    this.logger.error(`${found} findings: ${summary}`)
    this.exitCode = 1
  }
}

function findingText(finding: Finding): string {
  switch (finding.type) {
    case 'broken':
      return `batch ${finding.number} of ${finding.chain} is not what was signed`
    case 'cut':
      return `${finding.chain} had more batches than the ${finding.number} that are there`
    case 'inserted':
      return `event ${finding.id} of ${finding.chain} was never sealed, or was removed before`
    case 'changed':
    case 'missing':
      return `event ${finding.id} of ${finding.chain}, batch ${finding.number}, is ${finding.type}`
  }
}
