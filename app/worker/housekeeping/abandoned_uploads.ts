import type { Logger } from '@adonisjs/core/logger'

import { RegistryDenied } from '#oci/errors'
import { baseOf } from '#oci/registry/registry_address'
import type { AbandonedUpload, JournalEntry, UploadJournal } from '#oci/uploads/upload_journal'
import { LOCAL_IMAGES } from '#oci/local_host'
import type { OpenImageStores } from '#worker/images/stores'
import { withAccount } from '#worker/images/image_locations'
import type { Platform } from '#worker/platform/platform'
import type { RecordOf } from '#worker/platform/records'

type Registry = RecordOf<'registry'>

export interface UploadCleanupDependencies {
  readonly journal: UploadJournal
  readonly images: Pick<OpenImageStores, 'registry'>
  readonly platform: Platform
  readonly logger: Pick<Logger, 'info' | 'warn'>
}

/**
 * Cancels uploads of crashed workers, using current accounts of the platform. Returns the number of finished journal
 * entries.
 */
export async function cancelAbandonedUploads(
  { journal, images, platform, logger }: UploadCleanupDependencies,
  signal: AbortSignal
): Promise<number> {
  const entries = await journal.abandoned()
  const registries = entries.length > 0 ? await platform.until(signal).registries() : []
  let done = 0
  for (const entry of entries) {
    signal.throwIfAborted()
    done += (await isFinished(entry)) ? 1 : 0
  }
  return done

  async function isFinished(entry: JournalEntry): Promise<boolean> {
    try {
      for (const upload of await entry.uploads()) {
        await cancel(upload)
      }
    } catch (error) {
      report(error, entry)
      if (await entry.postpone()) {
        return false
      }
    }
    await entry.remove()
    return true
  }

  /** Logs a denial once per upload: an operator can grant access, and the registry removes the upload eventually. */
  function report(error: unknown, entry: JournalEntry): void {
    if (!(error instanceof RegistryDenied)) {
      logger.warn({ err: error }, 'an abandoned upload could not be cancelled yet')
    } else if (journal.isFirstRefusal(entry)) {
      logger.warn(
        { err: error },
        'no account may cancel an abandoned upload; the registry will remove it'
      )
    }
  }

  async function cancel({ origin, repository, at }: AbandonedUpload): Promise<void> {
    const registry = registries.find(
      ({ host }) => host !== LOCAL_IMAGES && baseOf(host).origin === origin
    )
    if (!registry) {
      throw new Error(`The platform has no registry at ${origin}`)
    }
    await withFirstAllowed(accountsIn(registry), (account) =>
      images.registry(account).within(signal).cancelUpload(repository, at)
    )
    logger.info({ registry: registry.host, repository }, 'an abandoned upload was cancelled')
  }

  /**
   * Projects of master images accept only the master account, and in Harbor only the account of the registry may
   * delete.
   */
  async function* accountsIn(registry: Registry): AsyncGenerator<Registry, void, undefined> {
    const client = platform.until(signal)
    yield withAccount(registry, await client.workerAccount(registry.id))
    yield withAccount(registry, await client.masterAccount(registry.id))
    yield registry
  }
}

/** Runs an action with the first account that is allowed to. Rethrows the last denial if none is. */
async function withFirstAllowed(
  accounts: AsyncIterable<Registry>,
  action: (account: Registry) => Promise<void>
): Promise<void> {
  let denied: RegistryDenied | undefined
  for await (const account of accounts) {
    try {
      return await action(account)
    } catch (error) {
      if (!(error instanceof RegistryDenied)) {
        throw error
      }
      denied = error
    }
  }
  throw denied
}
