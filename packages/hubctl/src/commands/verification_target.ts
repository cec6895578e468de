import type { Invocation } from '#hubctl/invocation'
import { isUuid } from '#kernel/is_uuid'
import type { ImageRepository } from '#oci/copy_blob'
import { parseImageName } from '#oci/image_names'
import { openImageStore } from '#oci/open_image_store'
import { masterImageName } from '#oci/signing/identity'
import {
  openImageLocation,
  type ImageLocation,
  type ImageLocationOptions,
} from './image_location.js'
import { registryAccount } from './registry_account.js'
import { findBuildTarget } from './build_target.js'

export interface VerifyOptions extends ImageLocationOptions {
  readonly key?: string
}

/** An image to verify. */
export interface VerificationTarget {
  readonly shelf: ImageRepository
  readonly reference: string
  /** The name it must be signed as, if known: the id of an analysis, or `master/<virtualPath>`. */
  readonly signedName?: string | undefined
}

const HOSTED = /^([\w.-]+\.[\w.-]+|localhost|\[[\da-f:]+\]|[\w.-]+(?=:\d))(:\d+)?\/./i
const IMAGE = /[/:@]/

/** Locates an image: in the named location, in a registry, or as the build of an analysis. */
export async function findVerificationTarget(
  invocation: Invocation<VerifyOptions>,
  image: string
): Promise<VerificationTarget> {
  const { images, registry } = invocation.options
  const hasLocation = images !== undefined || registry !== undefined
  if (hasLocation && IMAGE.test(image)) {
    return targetInLocation(await openImageLocation(invocation), image)
  }
  return !hasLocation && HOSTED.test(image)
    ? targetInRegistry(invocation, image)
    : findBuildTarget(invocation, image)
}

function targetInLocation(
  { store, masterImages }: ImageLocation,
  image: string
): VerificationTarget {
  const { repository, reference } = parseImageName(image)
  const prefix = `${masterImages}/`
  const signedName = repository.startsWith(prefix)
    ? masterImageName(repository.slice(prefix.length))
    : analysisIn(repository)
  return { shelf: { store, repository }, reference, signedName }
}

/** Uses the account of podman or docker for that registry. */
async function targetInRegistry(
  { options }: Invocation<VerifyOptions>,
  image: string
): Promise<VerificationTarget> {
  const at = image.indexOf('/')
  const host = image.slice(0, at)
  const { repository, reference } = parseImageName(image.slice(at + 1))
  const address = { host, ...(await registryAccount(host)) }
  const store = await openImageStore(address, { isInsecure: options.insecure ?? false })
  return { shelf: { store, repository }, reference, signedName: analysisIn(repository) }
}

/** An image stored under the id of an analysis must be signed with that id. */
function analysisIn(repository: string): string | undefined {
  const last = repository.slice(repository.lastIndexOf('/') + 1)
  return isUuid(last) ? last : undefined
}
