import { createHash } from 'node:crypto'

import type { StoredManifest } from '#oci/image_store'
import type { Material } from '#oci/signing/provenance'
import { masterImageName } from '#oci/signing/identity'
import { filesAsMaterials, signAsBuilt, sortedFiles } from '#worker/images/sign_as_built'
import type { Context } from '#worker/master_images/sources/source'
import type { ImageBuild } from './builder_settings.js'

const CONTEXT = 'context'

interface BuiltMasterImage {
  readonly image: StoredManifest
  readonly context: Context
  /** Images that were built on, or copied from. */
  readonly bases: readonly Material[]
  /** In milliseconds. */
  readonly startedAt: number
}

/** Attaches provenance and signature to an image built here. Mirrored images are not signed. */
export async function signMasterImage(build: ImageBuild, result: BuiltMasterImage): Promise<void> {
  const { job, location, repository } = build
  const { image, context, bases, startedAt } = result
  const { virtualPath, command, commandArguments } = build.image
  const store = await location.masterStore()
  await job.log.stage(`Sign the image in ${location.name}`, async () =>
    signAsBuilt(
      job,
      { store, repository },
      {
        image,
        key: await job.signing.keyFor(job.platform),
        name: masterImageName(virtualPath),
        kind: 'masterImage',
        parameters: {
          masterImage: virtualPath,
          source: context.source,
          command: command ?? null,
          commandArguments: commandArguments ?? [],
        },
        materials: [...bases, ...materialsOf(context)],
        signedAnnotations: { masterImage: virtualPath },
        startedAt,
      }
    )
  )
}

function materialsOf({ source, commit, files }: Context): Material[] {
  return [
    ...(commit === undefined ? [] : [{ name: source, digest: `gitCommit:${commit}` }]),
    { name: CONTEXT, digest: digestOfFiles(files) },
    ...filesAsMaterials(CONTEXT, files),
  ]
}

/** The digest of the `sha256sum` output for all files, sorted by path. */
function digestOfFiles(files: ReadonlyMap<string, string>): string {
  const lines = sortedFiles(files).map(([path, sha256]) => `${sha256}  ${path}\n`)
  return `sha256:${createHash('sha256').update(lines.join('')).digest('hex')}`
}
