import { clock } from '#kernel/clock'
import { VERSION } from '#kernel/version'
import type { ImageRepository } from '#oci/copy_blob'
import type { StoredManifest } from '#oci/image_store'
import type { BuildFacts, Material } from '#oci/signing/provenance'
import type { SigningKey } from '#oci/signing/signing_key'
import { signImage, type SignOptions } from '#oci/signing/sign_image'
import type { JobContext } from '#worker/job'

/** The builder in the provenance. */
const BUILDER = { id: 'urn:analysis-hub:worker', version: VERSION }

/** Above this number, files are covered by the digest of their layer or context. */
const MAX_LISTED = 10_000

export interface BuiltImageFacts
  extends SignOptions, Pick<BuildFacts, 'name' | 'kind' | 'parameters' | 'materials'> {
  readonly image: StoredManifest
  readonly key: SigningKey
  readonly signedAnnotations: Readonly<Record<string, string>>
  /** In milliseconds. */
  readonly startedAt: number
}

/** Attaches provenance and signature to an image that this job built. */
export async function signAsBuilt(
  job: JobContext,
  target: ImageRepository,
  options: BuiltImageFacts
): Promise<void> {
  const { command } = job
  const { image, isNew, imagePushed, configPushed, key, startedAt, ...facts } = options
  const buildFacts = {
    ...facts,
    builder: BUILDER,
    ...(typeof command.run === 'string' && { run: command.run }),
    startedAt: new Date(startedAt),
    finishedAt: new Date(clock.now()),
  }
  await signImage(target, image, buildFacts, key, {
    isNew,
    imagePushed,
    configPushed,
  })
}

/** Lists files with their SHA-256 in hex as materials. */
export function filesAsMaterials(folder: string, files: ReadonlyMap<string, string>): Material[] {
  return sortedFiles(files.size > MAX_LISTED ? new Map() : files).map(([path, sha256]) => ({
    name: `${folder}/${path}`,
    digest: `sha256:${sha256}`,
  }))
}

export const sortedFiles = (files: ReadonlyMap<string, string>): [string, string][] =>
  [...files].toSorted(([one], [other]) => (one < other ? -1 : 1))
