import { startImage, mountLayers, type PendingImage } from '#oci/append_layers'
import { awaitAll } from '#kernel/await_all'
import { body } from '#kernel/body'
import { clock } from '#kernel/clock'
import type { ImageRepository } from '#oci/copy_blob'
import { LATEST } from '#oci/image_names'
import { putAttachmentConfig } from '#oci/signing/attach'
import { startLayer, type PendingLayer } from '#oci/write_layer'
import { COMPONENTS } from '#worker/components'
import { baseImage } from '#worker/images/base_image'
import type { ImageLocation } from '#worker/images/image_locations'
import { defineJob, type JobContext } from '#worker/job'
import { JobFailure } from '#worker/job_failure'
import type { Platform } from '#worker/platform/platform'
import type { RecordOf } from '#worker/platform/records'
import { recordId } from '#worker/platform/records'
import { BucketTars } from './bucket_tars.js'
import { codeOf, type Code } from './code_files.js'
import { CodeLayer } from './code_layer.js'
import { contentIn, labelsOf } from './labels.js'
import { runCommand } from './run_command.js'
import { signBuild } from './sign_build.js'

type Analysis = RecordOf<'analysis'>
type MasterImage = RecordOf<'masterImage'>

/** Builds the image of an analysis: its master image plus a layer with its code. */
export const buildAnalysis = defineJob({
  component: COMPONENTS.analysisBuilder,
  command: 'execute',
  content: body({ id: recordId() }),
  async run({ id }, job) {
    const { platform, log } = job
    const startedAt = clock.now()
    const tars = new BucketTars(platform)
    try {
      const [analysis, location, code] = await awaitAll([
        analysisOf(id, platform),
        job.locations.forBuild(id),
        log.stage('Read the analysis', () => codeOf(platform, id, tars, contentIn(job.command))),
      ])
      const subject = await subjectOf(analysis, code, platform)
      const context = { ...subject, location, code, tars, startedAt }
      const { digest, size, os } = await buildImage(job, context)
      return { hash: digest, size, os }
    } finally {
      tars.release()
    }
  },
})

interface BuildSubject {
  readonly analysis: Analysis
  readonly masterImage: MasterImage
}

async function analysisOf(id: string, platform: Platform): Promise<Analysis> {
  const analysis = await platform.analysisToBuild(id)
  if (!analysis) {
    throw new JobFailure('analysisNotFound', 'The analysis does not exist')
  }
  return analysis
}

/** Uses the image and arguments read together with the files, since the analysis may change during the build. */
async function subjectOf(
  analysis: Analysis,
  { runConfiguration }: Code,
  platform: Platform
): Promise<BuildSubject> {
  const masterImage = runConfiguration
    ? runConfiguration.masterImage
    : await masterImageOf(analysis, platform)
  if (!masterImage) {
    throw new JobFailure('masterImageNotFound', 'The master image of the analysis does not exist')
  }
  return { analysis: { ...analysis, ...runConfiguration }, masterImage }
}

async function masterImageOf({ masterImageId, masterImage }: Analysis, platform: Platform) {
  return masterImage ?? (masterImageId ? platform.masterImage(masterImageId) : undefined)
}

/** Layer, config, provenance, signature, and the config of the last two. */
const BLOBS = 5

interface BuildContext extends BuildSubject {
  readonly location: ImageLocation
  readonly code: Code
  readonly tars: BucketTars
  /** In milliseconds. */
  readonly startedAt: number
}

async function buildImage(job: JobContext, context: BuildContext): Promise<PendingImage> {
  const { analysis, location } = context
  const repository = await location.build(analysis.id)
  const target = { store: location.store, repository }
  const expected = location.store.prepareUploads(repository, BLOBS)
  try {
    const layer = startCodeLayer(job, context, target)
    const configPushed = putAttachmentConfig(target)
    configPushed.catch(() => {})
    const pending = { ...layer, configPushed }
    const [image] = await awaitAll([
      assembleAndSign(job, context, target, pending),
      layer.written,
      configPushed,
    ])
    return image
  } finally {
    await expected.release()
  }
}

async function assembleAndSign(
  job: JobContext,
  context: BuildContext,
  target: ImageRepository,
  { descriptor, written, fileDigests, configPushed }: PendingParts
): Promise<PendingImage> {
  const { log, platform, signing } = job
  const { analysis, code, masterImage, location, startedAt } = context
  const [{ base, unmounted }, layer, key] = await awaitAll([
    mountedBase(job, context, target),
    descriptor,
    signing.keyFor(platform),
  ])
  const command = runCommand(masterImage, analysis, code.entrypoint)
  const origin = {
    analysisId: analysis.id,
    content: contentIn(job.command),
    base: { name: masterImage.virtualPath, digest: base.stored.digest },
  }
  const appended = [{ layer, createdBy: 'analysis code' }]
  const image = startImage(target.store, target.repository, base, appended, {
    entrypoint: command,
    labels: labelsOf(origin),
    tag: LATEST,
    unmounted,
    layersPushed: written,
  })
  const build = {
    ...origin,
    image,
    configPushed,
    key,
    fileDigests,
    layer: layer.digest,
    command,
    startedAt,
  }
  await awaitAll([
    log.stage(`Push the image to ${location.name}`, () => image.pushed),
    log.stage(`Sign the image in ${location.name}`, () => signBuild(job, target, build)),
  ])
  return image
}

/** The base image and its layers that could not be mounted. */
async function mountedBase(
  { log, locations }: JobContext,
  { masterImage: { virtualPath }, location }: BuildContext,
  { store, repository }: ImageRepository
) {
  const base = await log.stage(`Find the image ${virtualPath} in ${location.name}`, () =>
    baseImage(locations, location, virtualPath, log)
  )
  return { base, unmounted: await mountLayers(store, repository, base) }
}

interface PendingCodeLayer extends PendingLayer {
  /** SHA-256 of each file in hex, complete when the layer descriptor is known. */
  readonly fileDigests: ReadonlyMap<string, string>
}

interface PendingParts extends PendingCodeLayer {
  readonly configPushed: Promise<unknown>
}

/** Starts to write the code layer. */
function startCodeLayer(
  job: JobContext,
  { code, tars, location }: BuildContext,
  { store, repository }: ImageRepository
): PendingCodeLayer {
  const fileDigests = new Map<string, string>()
  const files = new CodeLayer(job.platform, tars, code, (path, sha256) =>
    fileDigests.set(path, sha256)
  )
  const { descriptor, written } = startLayer(store, repository, files.entries, {
    onBytes: progressOf(job, code),
  })
  const stage = `Write ${code.files.length} files to ${location.name}`
  const finished = job.log.stage(stage, () => written).finally(() => files.close())
  finished.catch(() => {})
  return { descriptor, written: finished, fileDigests }
}

/** Counts tar bytes, which exceed the file sizes slightly. */
function progressOf(job: JobContext, { files, bytes }: Code): (bytes: number) => void {
  const total = bytes + files.length * 1024
  let written = 0
  return (more) => {
    written += more
    job.progress(Math.min(written, total), total)
  }
}
