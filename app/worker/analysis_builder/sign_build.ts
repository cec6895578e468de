import type { PendingImage } from '#oci/append_layers'
import type { ImageRepository } from '#oci/copy_blob'
import type { SigningKey } from '#oci/signing/signing_key'
import type { JobContext } from '#worker/job'
import { filesAsMaterials, signAsBuilt } from '#worker/images/sign_as_built'
import { CODE_FOLDER } from './run_command.js'

export interface Build {
  readonly image: PendingImage
  /** Resolves when the config of the attachments is pushed. */
  readonly configPushed: Promise<unknown>
  readonly key: SigningKey
  readonly analysisId: string
  /** The approved content digest, if the platform reports it. */
  readonly content: string | undefined
  readonly base: { readonly name: string; readonly digest: string }
  /** SHA-256 of each file in hex. */
  readonly fileDigests: ReadonlyMap<string, string>
  readonly layer: string
  readonly command: readonly string[]
  /** In milliseconds. */
  readonly startedAt: number
}

/** Attaches provenance and signature while the image is pushed. */
export async function signBuild(
  job: JobContext,
  target: ImageRepository,
  build: Build
): Promise<void> {
  const {
    image,
    configPushed,
    key,
    analysisId,
    content,
    base,
    fileDigests,
    layer,
    command,
    startedAt,
  } = build
  await signAsBuilt(job, target, {
    image: image.stored,
    isNew: await image.isNew,
    imagePushed: image.pushed,
    configPushed,
    key,
    name: analysisId,
    kind: 'analysis',
    parameters: {
      analysis: analysisId,
      ...(content !== undefined && { content }),
      masterImage: base.name,
      command,
    },
    materials: [
      base,
      { name: CODE_FOLDER, digest: layer },
      ...filesAsMaterials(CODE_FOLDER, fileDigests),
    ],
    signedAnnotations: { analysis: analysisId, ...(content !== undefined && { content }) },
    startedAt,
  })
}
