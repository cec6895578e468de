import { BaseCommand, flags } from '@adonisjs/core/ace'

export default class KeysRotate extends BaseCommand {
  static commandName = 'keys:rotate'
  static description =
    'Sign tokens with a new key, or encrypt stored data with the current application key'
  static help = [
    'keys:rotate                   sign tokens with a new key; earlier tokens stay valid until they expire',
    'keys:rotate --forget          the same, and all users must sign in again',
    'keys:rotate --app             encrypt with APP_KEY what is encrypted with APP_KEY_PREVIOUS',
    'keys:rotate --app --dry-run   only count it',
    'keys:rotate --app --forget    no longer accept images signed with APP_KEY_PREVIOUS',
    '--app can be interrupted and resumes when it is run again. It exits with 0 if nothing needs a former key,',
    'else with 1. --dry-run exits with 1 only if a key is missing.',
  ]
  static options = { startApp: true }

  @flags.boolean({
    flagName: 'app',
    description: 'The application key instead of the key of tokens',
  })
  declare isApplicationKey: boolean | undefined

  @flags.boolean({ description: 'Reject tokens, or with --app images, of former keys' })
  declare forget: boolean | undefined

  @flags.boolean({ description: 'Only count what --app would change' })
  declare dryRun: boolean | undefined

  async run() {
    if (this.isApplicationKey) {
      return this.#sealAll()
    }
    const { env } = await import('#start/env')
    if (env.IDENTITY_URL !== undefined) {
      return this.#refuse(`Tokens are signed by ${env.IDENTITY_URL}: rotate its keys there`)
    }
    if (this.dryRun) {
      return this.#refuse('--dry-run requires --app')
    }
    const { replaceKeys } = await import('#identity/embedded/keys/key_store')
    const { identityPool } = await import('#identity/embedded/database')
    const { kid, forgotten } = await replaceKeys(identityPool(), { forget: this.forget ?? false })
    this.logger.success(
      `within a minute tokens are signed with ${kid}; ${forgotten} keys were removed`
    )
  }

  async #sealAll() {
    const { ApplicationKeyChange } = await import('#start/application_key_change')
    const { drain } = await import('#kernel/drain')
    const task = this.logger.await('reading encrypted data').start()
    const change = new ApplicationKeyChange({
      app: this.app,
      dryRun: this.dryRun ?? false,
      forget: this.forget ?? false,
      signal: drain.signal,
      progress: (place, values) => task.update(`${place}: read ${values} values`),
    })
    const changing = change.run().finally(() => task.stop())
    this.app.terminating(async () => void (await changing.catch(() => {})))
    const { done, remaining: left, unreadable } = await changing
    for (const [what, count] of Object.entries(done)) {
      this.logger.info(`${what}: ${count} ${this.dryRun ? 'would be done' : 'done'} anew`)
    }
    unreadable.forEach(({ place, count }) =>
      this.logger.error(
        `${place}: ${count} are encrypted with a key that is not in APP_KEY_PREVIOUS`
      )
    )
    const missing = unreadable.reduce((sum, { count }) => sum + count, 0)
    if (this.dryRun && left > 0 && missing === 0) {
      return this.logger.success(
        `keys:rotate --app would do ${left} anew, and can read all of them`
      )
    }
    if (left + missing > 0) {
      return this.#refuse(`${left + missing} are left; keep APP_KEY_PREVIOUS, and run this again`)
    }
    this.logger.success('nothing needs APP_KEY_PREVIOUS any more')
  }

  #refuse(reason: string) {
    this.exitCode = 1
    this.logger.error(reason)
  }
}
