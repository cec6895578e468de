import type { Logger } from '@adonisjs/core/logger'

import { RegistryDenied } from '#oci/errors'
import { baseOf } from '#oci/registry/registry_address'
import type { LeftUpload, UploadNote, UploadNotes } from '#oci/uploads/upload_notes'
import { LOCAL_IMAGES } from '#oci/local_host'
import type { OpenedStores } from '#worker/images/stores'
import { withAccount } from '#worker/images/places'
import type { Platform } from '#worker/platform/platform'

export interface LeftUploadsNeeds {
  readonly notes: UploadNotes
  readonly images: Pick<OpenedStores, 'registry'>
  readonly platform: Platform
  readonly logger: Pick<Logger, 'info' | 'warn'>
}

/**
 * Takes back what workers that were killed had begun to upload, with the account that the platform has for us by now. Answers how many notes are done with.
 */
export async function takeBackUploads(
  { notes, images, platform, logger }: LeftUploadsNeeds,
  signal: AbortSignal
): Promise<number> {
  const left = await notes.left()
  const registries = left.length > 0 ? await platform.until(signal).registries() : []
  let done = 0
  for (const note of left) {
    signal.throwIfAborted()
    done += (await isDoneWith(note)) ? 1 : 0
  }
  return done

  async function isDoneWith(note: UploadNote): Promise<boolean> {
    try {
      for (const upload of await note.uploads()) {
        await cancel(upload)
      }
    } catch (error) {
      logger.warn({ err: error }, 'an upload that a killed worker left could not be taken back yet')
      if (await note.postpone()) {
        return false
      }
    }
    await note.remove()
    return true
  }

  async function cancel({ origin, repository, at }: LeftUpload): Promise<void> {
    const registry = registries.find(
      ({ host }) => host !== LOCAL_IMAGES && baseOf(host).origin === origin
    )
    if (!registry) {
      throw new Error(`The platform knows of no registry at ${origin} any more`)
    }
    const asked = platform.until(signal)
    const takeBackAs = (own: Parameters<typeof withAccount>[1]) =>
      images.registry(withAccount(registry, own)).within(signal).cancelUpload(repository, at)
    try {
      await takeBackAs(await asked.workerAccount(registry.id))
    } catch (error) {
      if (!(error instanceof RegistryDenied)) {
        throw error
      }
      // Among master images only another account may write.
      await takeBackAs(await asked.masterAccount(registry.id))
    }
    logger.info(
      { registry: registry.host, repository },
      'an upload of a killed worker is taken back'
    )
  }
}
