import { clock } from '#kernel/clock'
import { VERSION } from '#kernel/version'
import type { Shelf } from '#oci/copy_blob'
import type { Material } from '#oci/signing/provenance'
import { signImage } from '#oci/signing/sign_image'
import type { Work } from '#worker/job'
import type { Code } from './code_files.js'
import { CODE_FOLDER } from './run_command.js'

/** Who builds, for those who read where an image comes from. */
export const BUILDER = { id: 'urn:analysis-hub:worker', version: VERSION }

/** More than these are named by the layer that they are in. */
const MOST_NAMED = 10_000

export interface Build {
  readonly digest: string
  readonly analysisId: string
  /** The digest of what nodes agree to, where the platform tells it. */
  readonly content: string | undefined
  readonly base: { readonly name: string; readonly digest: string }
  readonly code: Code
  /** Of each file, in hexadecimal digits. */
  readonly read: ReadonlyMap<string, string>
  readonly layer: string
  readonly command: readonly string[]
  /** In milliseconds. */
  readonly startedAt: number
}

/** Says what an image was made of, and signs it. */
export async function signBuild(work: Work, shelf: Shelf, build: Build): Promise<void> {
  const { platform, signing, command } = work
  const { analysisId, content } = build
  const key = await signing.keyFor(platform)
  const facts = {
    name: analysisId,
    kind: 'analysis',
    parameters: {
      analysis: analysisId,
      ...(content !== undefined && { content }),
      masterImage: build.base.name,
      command: build.command,
    },
    materials: materialsOf(build),
    said: { analysis: analysisId, ...(content !== undefined && { content }) },
    builder: BUILDER,
    ...(typeof command.run === 'string' && { run: command.run }),
    startedAt: new Date(build.startedAt),
    finishedAt: new Date(clock.now()),
  } as const
  await signImage(shelf, build.digest, facts, key)
}

function materialsOf({ base, code, read, layer }: Build): Material[] {
  const files = code.files.length > MOST_NAMED ? [] : [...read]
  const byPath = files.toSorted(([one], [other]) => (one < other ? -1 : 1))
  return [
    { name: base.name, digest: base.digest },
    { name: CODE_FOLDER, digest: layer },
    ...byPath.map(([path, sha256]) => ({
      name: `${CODE_FOLDER}/${path}`,
      digest: `sha256:${sha256}`,
    })),
  ]
}
