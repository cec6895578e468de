import type { PendingImage } from '#oci/append_layers'
import type { ImageRepository } from '#oci/copy_blob'
import type { SigningKey } from '#oci/signing/signing_key'
import type { JobContext } from '#worker/job'
import { filesAsMaterials, signAsBuilt } from '#worker/images/sign_as_built'
import { CODE_FOLDER } from './run_command.js'

export interface Build {
  readonly image: PendingImage
  /** When it is there what attachments have as their config. */
  readonly configPushed: Promise<unknown>
  readonly key: SigningKey
  readonly analysisId: string
  /** The digest of what nodes agree to, where the platform tells it. */
  readonly content: string | undefined
  readonly base: { readonly name: string; readonly digest: string }
  /** The digest of what is in each file, in hexadecimal digits. */
  readonly fileDigests: ReadonlyMap<string, string>
  readonly layer: string
  readonly command: readonly string[]
  /** In milliseconds. */
  readonly startedAt: number
}

/** Says what an image was made of, and signs it, while it is put into its repository. */
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
