import { BaseCommand, flags } from '@adonisjs/core/ace'

export default class KeysRotate extends BaseCommand {
  static commandName = 'keys:rotate'
  static description =
    'Sign tokens with a new key, or seal all that is stored with the application key of now'
  static help = [
    'keys:rotate                   sign tokens with a new key; those signed before stay good until they end',
    'keys:rotate --forget          the same, and everybody has to sign in again',
    'keys:rotate --app             seal with APP_KEY what was sealed with one of APP_KEY_PREVIOUS',
    'keys:rotate --app --dry-run   only count it',
    'keys:rotate --app --forget    accept no image any more that was signed with one of APP_KEY_PREVIOUS',
    '--app may be ended at any time, and goes on when it is run again. It ends with 0 where nothing needs',
    'another key any more, and with 1 where something does. --dry-run ends with 1 only where a key is missing.',
  ]
  static options = { startApp: true }

  @flags.boolean({ flagName: 'app', description: 'The application key, not that of tokens' })
  declare isApplicationKey: boolean | undefined

  @flags.boolean({ description: 'Accept no token, or with --app no image, of a former key' })
  declare forget: boolean | undefined

  @flags.boolean({ description: 'Only count what --app would seal anew' })
  declare dryRun: boolean | undefined

  async run() {
    if (this.isApplicationKey) {
      return this.#sealAll()
    }
    const { env } = await import('#start/env')
    if (env.IDENTITY_URL !== undefined) {
      return this.#refuse(`The keys of tokens are those of ${env.IDENTITY_URL}: rotate them there`)
    }
    if (this.dryRun) {
      return this.#refuse('--dry-run goes with --app only')
    }
    const { replaceKeys } = await import('#identity/embedded/keys/key_store')
    const { identityPool } = await import('#identity/embedded/database')
    const { kid, forgotten } = await replaceKeys(identityPool(), { forget: this.forget ?? false })
    this.logger.success(`within a minute tokens are signed with ${kid}; ${forgotten} keys are gone`)
  }

  async #sealAll() {
    const { ApplicationKeyChange } = await import('#start/application_key_change')
    const { drain } = await import('#kernel/drain')
    const task = this.logger.await('looking at what is sealed').start()
    const change = new ApplicationKeyChange({
      app: this.app,
      dryRun: this.dryRun ?? false,
      forget: this.forget ?? false,
      signal: drain.signal,
      progress: (place, values) => task.update(`${place}: looked at ${values} values`),
    })
    const changing = change.run().finally(() => task.stop())
    this.app.terminating(async () => void (await changing.catch(() => {})))
    const { done, remaining: left, unreadable } = await changing
    for (const [what, count] of Object.entries(done)) {
      this.logger.info(`${what}: ${count} ${this.dryRun ? 'would be done' : 'done'} anew`)
    }
    unreadable.forEach(({ place, count }) =>
      this.logger.error(`${place}: ${count} are sealed with a key that is not in APP_KEY_PREVIOUS`)
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
