import { BaseCommand } from '@adonisjs/core/ace'

import type { Finding } from '#telemetry/trail/check_batch'

export default class AuditVerify extends BaseCommand {
  static commandName = 'audit:verify'
  static description = 'Check that nobody changed, inserted or removed audit events outside the hub'
  static help = [
    'Exits with 0 if the audit trail is intact, else with 1.',
    'Note the fingerprint of the signing key in another place.',
  ]
  static options = { startApp: true }

  async run() {
    const { TrailService } = await import('#telemetry/trail/trail_service')
    const { trailKey } = await import('#telemetry/trail/trail_key')
    const { drain } = await import('#kernel/drain')
    const trail = await this.app.container.make(TrailService)
    const task = this.logger.await('verifying the audit trail').start()
    const verdict = await trail
      .verifyChains({
        signal: drain.signal,
        progress: (events) => task.update(`verified ${events} events`),
      })
      .finally(() => task.stop())
    verdict.findings.forEach((finding) => this.logger.error(findingText(finding)))
    const { chains, batches, events, removed, reporters, found, unanchored } = verdict
    const summary = `${events} events in ${batches} batches of ${chains} realms, ${removed} removed in order`
    unanchored.forEach((chain) =>
      this.logger.warning(`the head of ${chain} is not anchored outside of the database yet`)
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
      return `batch ${finding.number} of ${finding.chain} does not match its signature`
    case 'cut':
      return `batches of ${finding.chain} after number ${finding.number} are missing`
    case 'inserted':
      return `event ${finding.id} of ${finding.chain} was never sealed, or was removed before`
    case 'changed':
    case 'missing':
      return `event ${finding.id} of ${finding.chain}, batch ${finding.number}, is ${finding.type}`
  }
}
