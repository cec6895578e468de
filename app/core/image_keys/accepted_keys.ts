import { inject } from '@adonisjs/core'
import { coreSettings } from '#core/core_settings'
import { CorePool } from '#core/database'
import { ImageKey } from '#oci/signing/image_key'

const SELECT_ALL = {
  name: 'accepted-image-keys',
  text: 'select public_key as "publicKey" from image_keys order by accepted_at desc, fingerprint',
}

/**
 * The keys whose signatures are accepted: the current one, those of former application keys in the configuration, and those
 * stored before the configuration changed. Only public keys are stored.
 */
@inject()
export class AcceptedKeys {
  readonly #pool: CorePool

  constructor(pool: CorePool) {
    this.#pool = pool
  }

  /** The key that signs images. */
  current(): ImageKey {
    return coreSettings().imageKeys()[0]
  }

  /** All accepted keys, the current one first. */
  async all(): Promise<[ImageKey, ...ImageKey[]]> {
    const [current, ...former] = coreSettings().imageKeys()
    const { rows } = await this.#pool.query<{ publicKey: string }>(SELECT_ALL)
    const stored = rows.map(({ publicKey }) => ImageKey.from(publicKey, 'A stored key'))
    const others = [...former, ...stored].filter(
      ({ fingerprint }, index, all) =>
        fingerprint !== current.fingerprint &&
        all.findIndex((one) => one.fingerprint === fingerprint) === index
    )
    return [current, ...others]
  }

  /** Finds keys that are accepted only while the configuration lists their application keys. */
  async findUnstored(): Promise<ImageKey[]> {
    const { rows } = await this.#pool.query<{ fingerprint: string }>(
      'select fingerprint from image_keys'
    )
    const stored = new Set(rows.map(({ fingerprint }) => fingerprint))
    return coreSettings()
      .imageKeys()
      .slice(1)
      .filter(({ fingerprint }) => !stored.has(fingerprint))
  }

  /** Stores keys, and returns how many are new. */
  async store(keys: readonly ImageKey[]): Promise<number> {
    const { rowCount } = await this.#pool.query(
      `insert into image_keys (fingerprint, public_key)
       select * from unnest($1::text[], $2::text[]) on conflict do nothing`,
      [keys.map(({ fingerprint }) => fingerprint), keys.map(({ pem }) => pem)]
    )
    return rowCount ?? 0
  }

  /** Removes the stored keys of former application keys. They stay accepted while the configuration lists these. */
  async removeFormer(): Promise<void> {
    const former = coreSettings().imageKeys().slice(1)
    await this.#pool.query('delete from image_keys where fingerprint = any($1)', [
      former.map(({ fingerprint }) => fingerprint),
    ])
  }

  /** Removes keys by a prefix of their fingerprint. Returns whether there were any. */
  async remove(fingerprint: string): Promise<boolean> {
    const { rowCount } = await this.#pool.query(
      'delete from image_keys where starts_with(fingerprint, $1)',
      [fingerprint]
    )
    return rowCount !== null && rowCount > 0
  }
}
