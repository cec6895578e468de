import { text } from 'node:stream/consumers'

import { args, BaseCommand, flags } from '@adonisjs/core/ace'

export default class UserPassword extends BaseCommand {
  static commandName = 'user:password'
  static description = 'Set the password of a user of the embedded identity provider'
  static help = [
    'The password is prompted for, or read from standard input without a terminal. It is never an argument, which',
    'every program on the machine can read. Sessions of the user end.',
    '  user:password admin',
    '  user:password ann --realm=north < ~/password.txt',
  ]
  static options = { startApp: true }

  @args.string({ description: 'Name of the user' })
  declare name: string

  @flags.string({ description: 'Realm of the user, by name or id', default: 'master' })
  declare realm: string

  async run() {
    const { env } = await import('#start/env')
    if (env.IDENTITY_URL !== undefined) {
      return this.#refuse(`Users are managed by ${env.IDENTITY_URL}: set their passwords there`)
    }
    const { findRealm, findUser } = await import('#identity/embedded/accounts')
    const realm = await findRealm(this.realm)
    const user = realm && (await findUser(realm.id, this.name))
    if (!user) {
      const what = realm ? `no user ${this.name} in the realm ${realm.name}` : 'no such realm'
      return this.#refuse(`There is ${what}; nothing was changed`)
    }
    const password = await this.#password()
    if (password === undefined) {
      return this.#refuse('The passwords do not match; nothing was changed')
    }
    await this.#set(user.id, password)
  }

  async #set(id: string, password: string) {
    const { UserService } = await import('#identity/users/user_service')
    const { serviceOrigin } = await import('#auth/service_origin')
    const { updateUser } = await import('#identity/users/user')
    const users = await this.app.container.make(UserService)
    try {
      const body = await updateUser.validate({ password })
      await users.resetPassword(await serviceOrigin(), id, body.password!)
      this.logger.success(`${this.name} has a new password and must sign in with it`)
    } catch (error) {
      this.#refuse(`${await publicMessage(error)}; nothing was changed`)
    }
  }

  /** Undefined if the two inputs differ. */
  async #password(): Promise<string | undefined> {
    if (!process.stdin.isTTY) {
      const input = await text(process.stdin)
      return input.replace(/\r?\n$/, '')
    }
    const password = await this.prompt.secure('New password')
    return password === (await this.prompt.secure('Once more')) ? password : undefined
  }

  #refuse(reason: string) {
    this.exitCode = 1
    this.logger.error(reason)
  }
}

/** The message that API callers get; never contains the password. */
async function publicMessage(error: unknown): Promise<string> {
  const { failureOf } = await import('#http/failure_of')
  const failure = failureOf(error)
  return [failure.message, ...failure.issues.map(({ message }) => message)].join(': ')
}
