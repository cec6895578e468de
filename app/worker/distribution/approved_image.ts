import type { SignedImage } from '#oci/signing/copy_signature'
import { filesOf } from '#worker/analysis_builder/code_files'
import { CODE_FOLDER } from '#worker/analysis_builder/run_command'
import { JobFailure } from '#worker/job_failure'
import type { Platform } from '#worker/platform/platform'
import type { BuiltImage } from './built_image.js'

const FILES = `${CODE_FOLDER}/`

/**
 * Throws unless the image has the approved content: its label must have the content digest, and the layer and files in
 * its provenance must match image and analysis. Skipped on platforms that do not report a content digest.
 */
export async function requireApproved(
  platform: Platform,
  analysisId: string,
  image: BuiltImage,
  { statement }: SignedImage
): Promise<void> {
  const approved = await platform.analysisCode(analysisId)
  if (typeof approved?.digest !== 'string') {
    return
  }
  if (approved.digest !== image.content) {
    throw imageOutdated()
  }
  const materials = materialsIn(statement)
  const layer = materials.get(CODE_FOLDER)
  if (layer !== undefined && !image.layers.includes(`sha256:${layer}`)) {
    throw contentChanged('The code layer of the image is not the one that was built')
  }
  const packed = new Map([...materials].filter(([name]) => name.startsWith(FILES)))
  if (packed.size > 0) {
    requireSameFiles(packed, await filesOf(platform, approved))
  }
}

/** The image has other content than the analysis, or no content label. */
export const imageOutdated = () =>
  contentChanged('The image does not have the current content of the analysis; build it again')

/** SHA-256 in hex by material name. */
function materialsIn(statement: SignedImage['statement']): ReadonlyMap<string, string> {
  const named = statement?.predicate.buildDefinition.resolvedDependencies ?? []
  return new Map(
    named.flatMap(({ name, digest }) => (name && digest?.sha256 ? [[name, digest.sha256]] : []))
  )
}

function requireSameFiles(
  packed: ReadonlyMap<string, string>,
  approved: readonly { readonly path: string; readonly sha256: string | undefined }[]
): void {
  const missing = approved.find(({ path, sha256 }) => {
    const actual = packed.get(FILES + path)
    return actual === undefined || (sha256 !== undefined && actual !== sha256)
  })
  const known = new Set(approved.map(({ path }) => FILES + path))
  const foreign = [...packed.keys()].find((name) => !known.has(name))
  const mismatch = missing ? FILES + missing.path : foreign
  if (mismatch !== undefined) {
    const quoted = JSON.stringify(mismatch.slice(0, 200))
    throw contentChanged(`${quoted} in the image differs from the approved content; build it again`)
  }
}

const contentChanged = (message: string) => new JobFailure('contentChanged', message)
