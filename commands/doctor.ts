import { BaseCommand, flags } from '@adonisjs/core/ace'

import type { Report } from '#doctor/examine'

/** Two for errors, one for warnings. */
const EXIT_CODES = { fine: 0, warning: 1, error: 2 }

export default class Doctor extends BaseCommand {
  static commandName = 'doctor'
  static description =
    'Check the installation and its dependencies, and show problems with their remedies'
  static help = [
    'doctor           a table of findings',
    'doctor -o json   the same as JSON on standard output',
    'Exits with 0 without findings, with 1 for warnings, with 2 for errors. docs/doctor.md lists all codes.',
  ]

  @flags.string({ alias: 'o', description: 'table or json', default: 'table' })
  declare output: string

  async run() {
    if (this.output !== 'table' && this.output !== 'json') {
      this.exitCode = 2
      return this.logger.error('Pass a format: -o table or -o json')
    }
    const report = await this.#examine()
    this.exitCode = EXIT_CODES[report.severity]
    if (this.output === 'json') {
      await this.#write(`${JSON.stringify(report, null, 2)}\n`)
    } else {
      this.#show(report)
    }
  }

  #write(text: string): Promise<void> {
    return new Promise((resolve) => process.stdout.write(text, () => resolve()))
  }

  async #examine(): Promise<Report> {
    const { loadSettings } = await import('#runtime/application')
    const { examineInstallation } = await import('#start/examination')
    // The services need what this command examines, so it starts no application and reads the settings only.
    await loadSettings()
    return examineInstallation()
  }

  #show({ checks, findings }: Report) {
    const of = (wanted: string) =>
      checks
        .filter(({ state }) => state === wanted)
        .map(({ check }) => check)
        .join(', ')
    for (const { code, severity, message, remedy } of findings) {
      const level = severity === 'error' ? 'error' : 'warning'
      this.logger[level](`${code}\n  ${printable(message)}\n  ${this.colors.dim(remedy)}`)
    }
    this.logger.info(`fine: ${of('fine') || 'nothing'}`)
    this.logger.info(`not used here: ${of('not used') || 'nothing'}`)
    if (findings.length === 0) {
      this.logger.success('no problems found')
    }
  }
}

/** Removes characters that could control the terminal. */
function printable(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, '?')
}
