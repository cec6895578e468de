import { LATEST } from '#oci/image_names'
import { imageSize, platformImage } from '#oci/platform_image'
import type { ImageStore } from '#oci/image_store'
import { failureReport } from '#worker/job_failure'
import { commandOf } from './image_command.js'
import type { Fault, ListedGroup, ListedImage, Listing } from './listing.js'

/** An image whose labels describe it. */
export interface SelfDescribedImage {
  readonly virtualPath: string
  readonly store: ImageStore
  readonly repository: string
  readonly reference?: string
}

/** Lists images by their labels, and groups by their paths. `areReady` marks images that need no build. */
export async function describedImages(
  found: readonly SelfDescribedImage[],
  signal: AbortSignal,
  { areReady = false } = {}
): Promise<Listing> {
  const images: ListedImage[] = []
  const faults: Fault[] = []
  for (const { virtualPath, store, repository, reference = LATEST } of found) {
    try {
      const { config, stored, manifest } = await platformImage(store, repository, reference)
      const ready = areReady && { hash: stored.digest, size: imageSize(manifest) }
      const command = commandOf(config)
      if (command) {
        images.push({ ...groupAt(virtualPath), ...command, ...ready })
      } else {
        faults.push(
          fault(virtualPath, `the image ${virtualPath} has no command label and no entrypoint`)
        )
      }
    } catch (error) {
      signal.throwIfAborted()
      faults.push(fault(virtualPath, failureReport(error).message))
    }
  }
  return { images, groups: groupsOf(found), faults }
}

function groupsOf(found: readonly SelfDescribedImage[]): ListedGroup[] {
  const paths = new Set<string>()
  for (const { virtualPath } of found) {
    const names = virtualPath.split('/')
    for (let depth = 1; depth < names.length; depth++) {
      paths.add(names.slice(0, depth).join('/'))
    }
  }
  return [...paths].toSorted().map(groupAt)
}

function groupAt(virtualPath: string): ListedGroup {
  const name = virtualPath.slice(virtualPath.lastIndexOf('/') + 1)
  return { name, path: virtualPath, virtualPath }
}

const fault = (virtualPath: string, message: string): Fault => ({
  kind: 'image',
  virtualPath,
  message,
})
