import { readFile } from 'node:fs/promises'

import { BaseCommand, flags } from '@adonisjs/core/ace'

import type { AcceptedKeys } from '#core/image_keys/accepted_keys'

export default class ImageKeyCommand extends BaseCommand {
  static commandName = 'image:key'
  static description = 'Print the public key that images are signed with, in PEM'
  static help = [
    'image:key                         the key that images are signed with',
    'image:key --all                   that one, and those whose signatures are still accepted',
    'image:key --accept=former.pem     accept signatures of another key, too: one that was replaced, or is to come',
    'image:key --forget=<fingerprint>  accept them no more; images that only this key signed have to be built anew',
  ]
  static options = { startApp: true }

  @flags.boolean({ description: 'Every key whose signatures are accepted' })
  declare all: boolean | undefined

  @flags.string({ description: 'A file with public keys to accept' })
  declare accept: string | undefined

  @flags.string({ description: 'The fingerprint of a key to accept no more' })
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
        'A fingerprint is at least its first 8 characters: image:key --all shows them'
      )
    }
    if (!(await accepted.remove(fingerprint))) {
      return this.#refuse(
        'No key like that was kept. One that follows from APP_KEY or APP_KEY_PREVIOUS is accepted as long as that stands there'
      )
    }
    this.logger.success('its signatures are accepted no more')
  }

  #refuse(reason: string) {
    this.exitCode = 1
    this.logger.error(reason)
  }

  #print(text: string) {
    process.stdout.write(text)
  }
}
