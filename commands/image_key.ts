import { readFile } from 'node:fs/promises'

import { BaseCommand, flags } from '@adonisjs/core/ace'

import type { AcceptedKeys } from '#core/image_keys/accepted_keys'

export default class ImageKeyCommand extends BaseCommand {
  static commandName = 'image:key'
  static description = 'Print the public key that images are signed with, in PEM'
  static help = [
    'image:key                         the key that images are signed with',
    'image:key --all                   also the keys whose signatures are still accepted',
    'image:key --accept=former.pem     also accept signatures of another key, such as a former or future one',
    'image:key --forget=<fingerprint>  no longer accept a key; images signed only with it must be built again',
  ]
  static options = { startApp: true }

  @flags.boolean({ description: 'Every key whose signatures are accepted' })
  declare all: boolean | undefined

  @flags.string({ description: 'A file with public keys to accept' })
  declare accept: string | undefined

  @flags.string({ description: 'The fingerprint of a key to no longer accept' })
  declare forget: string | undefined

  async run() {
    if (this.forget !== undefined) {
      return this.#forget(await this.#accepted(), this.forget)
    }
    if (this.accept !== undefined) {
      return this.#accept(await this.#accepted(), this.accept)
    }
    if (this.all) {
      const accepted = await this.#accepted()
      const keys = await accepted.all()
      return keys.forEach(({ pem, fingerprint }) => this.#print(`# ${fingerprint}\n${pem}`))
    }
    const { signingKey } = await import('#oci/signing/own_keys')
    const { env } = await import('#start/env')
    this.#print(signingKey(env).public.pem)
  }

  async #accepted(): Promise<AcceptedKeys> {
    const { AcceptedKeys: Accepted } = await import('#core/image_keys/accepted_keys')
    return this.app.container.make(Accepted)
  }

  async #accept(accepted: AcceptedKeys, file: string) {
    const { ImageKey, KeyUnusable } = await import('#oci/signing/image_key')
    try {
      const keys = ImageKey.allIn(await readFile(file, 'utf8'), file)
      const count = await accepted.store(keys)
      this.logger.success(`${count} of ${keys.length} keys were not accepted before`)
    } catch (error) {
      if (!(error instanceof KeyUnusable) && (error as NodeJS.ErrnoException).code !== 'ENOENT') {
        throw error
      }
      this.#refuse((error as Error).message)
    }
  }

  async #forget(accepted: AcceptedKeys, fingerprint: string) {
    if (!/^[\da-f]{8,64}$/.test(fingerprint)) {
      return this.#refuse(
        'Pass at least the first 8 characters of a fingerprint: image:key --all shows them'
      )
    }
    if (!(await accepted.remove(fingerprint))) {
      return this.#refuse(
        'There is no such stored key. Keys derived from APP_KEY or APP_KEY_PREVIOUS are accepted while these are set'
      )
    }
    this.logger.success('its signatures are no longer accepted')
  }

  #refuse(reason: string) {
    this.exitCode = 1
    this.logger.error(reason)
  }

  #print(text: string) {
    process.stdout.write(text)
  }
}
