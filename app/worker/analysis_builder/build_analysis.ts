import { appendLayers, mountLayers, type BuiltImage } from '#oci/append_layers'
import { allOf } from '#kernel/all_of'
import { body } from '#kernel/body'
import { clock } from '#kernel/clock'
import type { Shelf } from '#oci/copy_blob'
import { LATEST } from '#oci/image_names'
import { writeLayer } from '#oci/write_layer'
import { COMPONENTS } from '#worker/components'
import { baseImage } from '#worker/images/base_image'
import type { Place } from '#worker/images/places'
import { defineJob, type Work } from '#worker/job'
import { JobFailure } from '#worker/job_failure'
import type { RecordOf } from '#worker/platform/records'
import { recordId } from '#worker/platform/records'
import { codeOf, type Code } from './code_files.js'
import { CodeLayer } from './code_layer.js'
import { contentIn, labelsOf } from './labels.js'
import { runCommand } from './run_command.js'
import { signBuild } from './sign_build.js'

type Analysis = RecordOf<'analysis'>
type MasterImage = RecordOf<'masterImage'>

/** Makes the image of an analysis: its master image, and a layer with its code. */
export const buildAnalysis = defineJob({
  component: COMPONENTS.analysisBuilder,
  command: 'execute',
  content: body({ id: recordId() }),
  async run({ id }, work) {
    const { platform, places, log } = work
    const startedAt = clock.now()
    const analysis = await platform.analysis(id)
    if (!analysis) {
      throw new JobFailure('analysisNotFound', 'There is no such analysis')
    }
    const [code, masterImage, place] = await allOf([
      log.stage('Read what the analysis consists of', () => codeOf(platform, id)),
      masterImageOf(analysis, work),
      places.ofBuild(analysis),
    ])
    const building = { analysis, code, masterImage, place, startedAt }
    const { digest, size, os } = await buildImage(work, building)
    return { hash: digest, size, os }
  },
})

/** The layer, the config, and what is attached: two blobs each of provenance and signature. */
const BLOBS = 6

interface Building {
  readonly analysis: Analysis
  readonly code: Code
  readonly masterImage: MasterImage
  readonly place: Place
  /** In milliseconds. */
  readonly startedAt: number
}

async function masterImageOf(
  { masterImageId }: Analysis,
  { platform }: Work
): Promise<MasterImage> {
  const found = masterImageId ? await platform.masterImage(masterImageId) : undefined
  if (!found) {
    throw new JobFailure('masterImageNotFound', 'The master image of the analysis is not there')
  }
  return found
}

async function buildImage(work: Work, building: Building): Promise<BuiltImage> {
  const { analysis, place } = building
  const repository = await place.build(analysis.id)
  const shelf = { store: place.store, repository }
  const expected = place.store.expectBlobs(repository, BLOBS)
  try {
    return await builtOn(work, building, shelf)
  } finally {
    await expected.release()
  }
}

async function builtOn(work: Work, building: Building, shelf: Shelf): Promise<BuiltImage> {
  const { log, platform, signing } = work
  const { analysis, code, masterImage, place, startedAt } = building
  const [{ base, unmounted }, { layer, read }, key] = await allOf([
    mountedBase(work, building, shelf),
    writtenLayer(work, building, shelf),
    signing.keyFor(platform),
  ])
  const command = runCommand(masterImage, analysis, code.entrypoint)
  const madeOf = {
    analysisId: analysis.id,
    content: contentIn(work.command),
    base: { name: masterImage.virtualPath, digest: base.stored.digest },
  }
  const image = await log.stage(`Put the image together in ${place.name}`, () =>
    appendLayers(shelf.store, shelf.repository, base, [{ layer, createdBy: 'analysis code' }], {
      entrypoint: command,
      labels: labelsOf(madeOf),
      tag: LATEST,
      unmounted,
    })
  )
  const build = { ...madeOf, image, key, read, layer: layer.digest, command, startedAt }
  await log.stage(`Sign the image in ${place.name}`, () => signBuild(work, shelf, build))
  return image
}

/** What is built on, and what of it could not be mounted. */
async function mountedBase(
  { log, places }: Work,
  { masterImage: { virtualPath }, place }: Building,
  { store, repository }: Shelf
) {
  const base = await log.stage(`Find the image ${virtualPath} in ${place.name}`, () =>
    baseImage(places, place, virtualPath, log)
  )
  return { base, unmounted: await mountLayers(store, repository, base) }
}

/** The code, and what was in each of its files. */
async function writtenLayer(work: Work, { code, place }: Building, { store, repository }: Shelf) {
  const read = new Map<string, string>()
  const files = new CodeLayer(work.platform, code, (path, sha256) => read.set(path, sha256))
  const layer = await work.log
    .stage(`Write ${code.files.length} files into ${place.name}`, () =>
      writeLayer(store, repository, files.entries, { onBytes: progressOf(work, code) })
    )
    .finally(() => files.close())
  return { layer, read }
}

/** By the bytes of the layer, which are those of the files and a little more. */
function progressOf(work: Work, { files, bytes }: Code): (bytes: number) => void {
  const total = bytes + files.length * 1024
  let written = 0
  return (more) => {
    written += more
    work.progress(Math.min(written, total), total)
  }
}
