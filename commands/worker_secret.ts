import { args, BaseCommand } from '@adonisjs/core/ace'

const NAMES = ['IMAGE_SIGNING_KEY', 'WORKER_CLIENT_SECRET'] as const
type Name = (typeof NAMES)[number]

/** Gives a worker elsewhere what it needs of the secrets of this installation, so that it never gets `APP_KEY`. */
export default class WorkerSecretCommand extends BaseCommand {
  static commandName = 'worker:secret'
  static description = 'Print a secret that a worker in a process of its own needs'
  static help = [
    'worker:secret IMAGE_SIGNING_KEY     the private key that images are signed with, in PEM',
    'worker:secret WORKER_CLIENT_SECRET  the secret of the client "worker" of the embedded provider, which then accepts it',
    'Pipe it into a file that only the worker can read: docs/worker.md.',
  ]
  static options = { startApp: true }

  @args.string({ description: NAMES.join(' or ') })
  declare name: string

  async run() {
    const name = NAMES.find((each) => each === this.name)
    if (!name) {
      return this.#refuse(`Name one of ${NAMES.join(' and ')}`)
    }
    const { env } = await import('#start/env')
    if (name === 'WORKER_CLIENT_SECRET' && env.IDENTITY_URL !== undefined) {
      return this.#refuse(
        'IDENTITY_URL names another provider: create a client for the worker there, and give the worker its secret (docs/worker.md)'
      )
    }
    process.stdout.write(await this.#read(name))
  }

  async #read(name: Name): Promise<string> {
    const { env } = await import('#start/env')
    if (name === 'IMAGE_SIGNING_KEY') {
      const { signingKey } = await import('#oci/signing/own_keys')
      return signingKey(env).toPem()
    }
    const { renewWorkerSecret } = await import('#identity/embedded/seeds')
    const { workerSecret } = await import('#configuration/worker_secret')
    await renewWorkerSecret()
    return workerSecret(env)
  }

  #refuse(reason: string) {
    this.exitCode = 1
    this.logger.error(reason)
  }
}
