import { BaseCommand, flags } from '@adonisjs/core/ace'

export default class HubAdopt extends BaseCommand {
  static commandName = 'hub:adopt'
  static description = 'Migrate the records of an existing installation of the former platform'
  static help = [
    'Reads the databases of its services without changing them. Each service has one:',
    '  hub:adopt --from=core=postgres://reader@db.example.org/core --from=storage=…',
    '  hub:adopt --from=mysql://reader@db.example.org/hub_{service}',
    'Do not pass passwords in arguments: set FORMER_DATABASE_PASSWORD for all of them, or whole addresses in',
    'FORMER_CORE_DATABASE_URL and the like, and omit --from.',
    '',
    'Start with --dry-run. An interrupted run resumes; a finished one can be repeated for later changes.',
    'For the last run, after the former platform is stopped, pass --last: it removes what was removed there',
    'and not changed here. Every row that the report names is in a file (--report).',
    'A closed adoption is opened again by --reopen only. --check says what changes here in the first hour.',
    'Exits with 0 if everything was migrated, with 1 if the report names exceptions, with 2 if it was',
    'interrupted.',
  ]
  static options = { startApp: true }

  @flags.array({ description: 'Address of the database of a service; see above' })
  declare from: string[] | undefined

  @flags.string({
    description: 'Location of its files: S3 address or folder, compared with the settings',
  })
  declare objects: string | undefined

  @flags.boolean({ description: 'Count and list records that cannot be migrated, without writing' })
  declare dryRun: boolean | undefined

  @flags.boolean({ description: 'This is the last run: orphaned objects are swept again' })
  declare last: boolean | undefined

  @flags.boolean({ description: 'With --last, keep what was removed in the source' })
  declare keepDeleted: boolean | undefined

  @flags.boolean({ description: 'Continue although the adoption was closed' })
  declare reopen: boolean | undefined

  @flags.boolean({
    description: 'Say what will change here in the first hour; reads no other database',
  })
  declare check: boolean | undefined

  @flags.string({ description: 'New file for every row that the report names' })
  declare report: string | undefined

  @flags.string({ description: 'Time zone of the times in its databases (UTC)' })
  declare timeZone: string | undefined

  async run() {
    const { AdoptionRefused } = await import('#adopt/adoption_refused')
    try {
      await (this.check ? this.#lookAhead() : this.#adopt())
    } catch (error) {
      if (!(error instanceof AdoptionRefused)) {
        throw error
      }
      this.exitCode = 1
      this.logger.error(error.message)
    }
  }

  async #adopt(): Promise<void> {
    const { Adoption, isWhole } = await import('#adopt/adoption')
    const { addressesFrom } = await import('#adopt/former/addresses')
    const { linesOf } = await import('#adopt/report')
    const { requireSameStore } = await import('#adopt/check_objects')
    const { runExclusively } = await import('#adopt/run_exclusively')
    const { drain } = await import('#kernel/drain')
    const { SERVICES } = await import('#adopt/transfer')
    const { ReportFile } = await import('#adopt/report_file')
    const { env } = await import('#start/env')
    const addresses = addressesFrom(this.from ?? [], env)
    await requireSameStore(this.objects, env)
    if (env.IDENTITY_URL === undefined) {
      this.logger.warning(
        'IDENTITY_URL is not set. Users, realms and clients stay in the identity provider of the former platform; the embedded one has none of them'
      )
    }
    if (!this.dryRun) {
      const { surfacesOf } = await import('#configuration/processes')
      const { bringTablesUpToDate } = await import('#runtime/tables')
      await bringTablesUpToDate(this.app, surfacesOf(env))
    }
    const [first] = SERVICES.filter((service) => addresses[service] !== undefined)
    const file = new ReportFile(await this.#reportPath())
    const run = runExclusively(first!, (lost) =>
      new Adoption({
        addresses,
        isDryRun: this.dryRun ?? false,
        isLast: this.last ?? false,
        keepsDeleted: this.keepDeleted ?? false,
        isReopening: this.reopen ?? false,
        record: (table, problem, id) => file.add(table, problem, id),
        zone: this.timeZone ?? 'UTC',
        signal: AbortSignal.any([drain.signal, lost]),
        report: (text) => this.logger.info(text),
      }).run()
    )
    // A batch in progress is completed before the process ends.
    this.app.terminating(async () => void (await run.catch(() => {})))
    const report = await run.finally(() => file.close())
    if (!report.tables) {
      this.exitCode = 2
      return this.logger.warning('Interrupted. Run it again to resume')
    }
    linesOf(report).forEach((line) => this.logger.log(line))
    this.#nameFile(file.path)
    this.exitCode = isWhole(report) && report.obstacle === undefined ? 0 : 1
  }

  async #lookAhead(): Promise<void> {
    const { lookAhead } = await import('#adopt/ahead/look_ahead')
    const { IdentityProvider } = await import('#auth/provider')
    const { unknownPeople } = await import('#core/removals')
    const { linesOfOutlook } = await import('#adopt/report')
    const { ReportFile } = await import('#adopt/report_file')
    const file = new ReportFile(await this.#reportPath())
    const provider = await this.app.container.make(IdentityProvider)
    const outlook = await lookAhead(
      () => unknownPeople(provider),
      (...row) => file.add(...row)
    ).finally(() => file.close())
    linesOfOutlook(outlook).forEach((line) => this.logger.log(line))
    this.#nameFile(file.path)
    const isKnown = outlook.identityProblem === undefined
    this.exitCode = isKnown && outlook.tables.length === 0 ? 0 : 1
  }

  /** The folder of the program may be read-only, as it is in the image. */
  async #reportPath(): Promise<string> {
    const { join, resolve } = await import('node:path')
    const { tmpdir } = await import('node:os')
    const { constants, accessSync } = await import('node:fs')
    if (this.report !== undefined) {
      return resolve(this.report)
    }
    const name = `hub-adopt-${new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '')}-${process.pid}.tsv`
    try {
      accessSync('.', constants.W_OK)
      return resolve(name)
    } catch {
      return join(tmpdir(), name)
    }
  }

  #nameFile(path: string | undefined): void {
    if (path !== undefined) {
      this.logger.info(`Every row that is named: ${path}`)
    }
  }
}
