import { appendLayers, mountLayers, type BuiltImage } from '#oci/append_layers'
import { allOf } from '#kernel/all_of'
import { body } from '#kernel/body'
import { clock } from '#kernel/clock'
import { LATEST } from '#oci/image_names'
import type { PlatformImage } from '#oci/platform_image'
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
    const { platform, log } = work
    const startedAt = clock.now()
    const analysis = await platform.analysis(id)
    if (!analysis) {
      throw new JobFailure('analysisNotFound', 'There is no such analysis')
    }
    const [code, ground] = await allOf([
      log.stage('Read what the analysis consists of', () => codeOf(platform, id)),
      groundOf(work, analysis),
    ])
    const { digest, size, os } = await buildImage(work, { analysis, code, ...ground, startedAt })
    return { hash: digest, size, os }
  },
})

/** What an image is built on, and where. */
interface Ground {
  readonly masterImage: MasterImage
  readonly place: Place
  readonly base: PlatformImage
}

interface Building extends Ground {
  readonly analysis: Analysis
  readonly code: Code
  /** In milliseconds. */
  readonly startedAt: number
}

async function groundOf(work: Work, analysis: Analysis): Promise<Ground> {
  const { log, places } = work
  const [masterImage, place] = await allOf([
    masterImageOf(analysis, work),
    places.ofBuild(analysis),
  ])
  const { virtualPath } = masterImage
  const base = await log.stage(`Find the image ${virtualPath} in ${place.name}`, () =>
    baseImage(places, place, virtualPath, log)
  )
  return { masterImage, place, base }
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
  const { log, platform, signing } = work
  const { analysis, code, masterImage, place, base, startedAt } = building
  const repository = await place.build(analysis.id)
  const read = new Map<string, string>()
  const files = new CodeLayer(platform, code, (path, sha256) => read.set(path, sha256))
  const writing = log
    .stage(`Write ${code.files.length} files into ${place.name}`, () =>
      writeLayer(place.store, repository, files.entries, {
        family: base.manifest.family,
        onBytes: progressOf(work, code),
      })
    )
    .finally(() => files.close())
  const [layer, unmounted, key] = await allOf([
    writing,
    mountLayers(place.store, repository, base),
    signing.keyFor(platform),
  ])
  const command = runCommand(masterImage, analysis, code.entrypoint)
  const madeOf = {
    analysisId: analysis.id,
    content: contentIn(work.command),
    base: { name: masterImage.virtualPath, digest: base.stored.digest },
  }
  const image = await log.stage(`Put the image together in ${place.name}`, () =>
    appendLayers(place.store, repository, base, [{ layer, createdBy: 'analysis code' }], {
      entrypoint: command,
      labels: labelsOf(madeOf),
      tag: LATEST,
      unmounted,
    })
  )
  const build = {
    ...madeOf,
    image,
    key,
    read,
    layer: layer.descriptor.digest,
    command,
    startedAt,
  }
  await log.stage(`Sign the image in ${place.name}`, () =>
    signBuild(work, { store: place.store, repository }, build)
  )
  return image
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
