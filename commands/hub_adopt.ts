import { BaseCommand, flags } from '@adonisjs/core/ace'

export default class HubAdopt extends BaseCommand {
  static commandName = 'hub:adopt'
  static description = 'Take over the records of an existing installation of the former platform'
  static help = [
    'Reads the databases of its services and changes nothing there. Each service has one:',
    '  hub:adopt --from=core=postgres://reader@db.example.org/core --from=storage=…',
    '  hub:adopt --from=mysql://reader@db.example.org/hub_{service}',
    'Passwords never stand in arguments: FORMER_DATABASE_PASSWORD is that of all of these; or set',
    'FORMER_CORE_DATABASE_URL and the like to whole addresses, and leave --from out.',
    '',
    'Begin with --dry-run. What was interrupted goes on where it was; what is through may be run',
    'again for what changed since. The last time, when the former platform is stopped, say --last.',
    'Ends with 0 where all is here, with 1 where the report names what is not, with 2 where it was',
    'stopped on the way.',
  ]
  static options = { startApp: true }

  @flags.array({ description: 'Where the database of a service is; see above' })
  declare from: string[] | undefined

  @flags.string({
    description: 'Where its files are: S3 address or folder, to be compared with the settings',
  })
  declare objects: string | undefined

  @flags.boolean({ description: 'Count and name what would not fit, and write nothing' })
  declare dryRun: boolean | undefined

  @flags.boolean({ description: 'Nothing more is to come: what belongs to nobody is swept again' })
  declare last: boolean | undefined

  @flags.string({ description: 'Time zone of the times in its databases (UTC)' })
  declare timeZone: string | undefined

  async run() {
    const { AdoptionRefused } = await import('#adopt/adoption_refused')
    try {
      await this.#adopt()
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
    const { env } = await import('#start/env')
    const addresses = addressesFrom(this.from ?? [])
    await requireSameStore(this.objects)
    if (env.IDENTITY_URL === undefined) {
      this.logger.warning(
        'IDENTITY_URL is not set. Users, realms and clients stay in the identity provider of the former platform; the embedded one knows none of them'
      )
    }
    if (!this.dryRun) {
      const { bringTablesUpToDate } = await import('#runtime/tables')
      await bringTablesUpToDate(this.app)
    }
    const [first] = SERVICES.filter((service) => addresses[service] !== undefined)
    const run = runExclusively(first!, (lost) =>
      new Adoption({
        addresses,
        isDryRun: this.dryRun ?? false,
        isLast: this.last ?? false,
        zone: this.timeZone ?? 'UTC',
        signal: AbortSignal.any([drain.signal, lost]),
        report: (text) => this.logger.info(text),
      }).run()
    )
    // What is being written is written to its end, then it is over.
    this.app.terminating(async () => void (await run.catch(() => {})))
    const report = await run
    if (!report.tables) {
      this.exitCode = 2
      return this.logger.warning('Stopped. Run it again, and it goes on where it is')
    }
    linesOf(report).forEach((line) => this.logger.log(line))
    this.exitCode = isWhole(report) ? 0 : 1
  }
}
