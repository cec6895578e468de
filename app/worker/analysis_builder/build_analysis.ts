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
import type { Place } from '#worker/images/places'
import { defineJob, type Work } from '#worker/job'
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

/** Makes the image of an analysis: its master image, and a layer with its code. */
export const buildAnalysis = defineJob({
  component: COMPONENTS.analysisBuilder,
  command: 'execute',
  content: body({ id: recordId() }),
  async run({ id }, work) {
    const { platform, log } = work
    const startedAt = clock.now()
    const tars = new BucketTars(platform)
    try {
      const [analysis, place, code] = await awaitAll([
        analysisOf(id, platform),
        work.places.ofBuild(id),
        log.stage('Read what the analysis consists of', () =>
          codeOf(platform, id, tars, contentIn(work.command))
        ),
      ])
      const subject = await subjectOf(analysis, code, platform)
      const building = { ...subject, place, code, tars, startedAt }
      const { digest, size, os } = await buildImage(work, building)
      return { hash: digest, size, os }
    } finally {
      tars.release()
    }
  },
})

/** What is built, and what on. */
interface Subject {
  readonly analysis: Analysis
  readonly masterImage: MasterImage
}

async function analysisOf(id: string, platform: Platform): Promise<Analysis> {
  const analysis = await platform.analysisToBuild(id)
  if (!analysis) {
    throw new JobFailure('analysisNotFound', 'There is no such analysis')
  }
  return analysis
}

/** Image and arguments as they were when the files were read; they may have been others before and after. */
async function subjectOf(analysis: Analysis, { runs }: Code, platform: Platform): Promise<Subject> {
  const masterImage = runs ? runs.masterImage : await masterImageOf(analysis, platform)
  if (!masterImage) {
    throw new JobFailure('masterImageNotFound', 'The master image of the analysis is not there')
  }
  return { analysis: { ...analysis, ...runs }, masterImage }
}

async function masterImageOf({ masterImageId, masterImage }: Analysis, platform: Platform) {
  return masterImage ?? (masterImageId ? platform.masterImage(masterImageId) : undefined)
}

/** The layer, the config, and what is attached: provenance, signature, and what both have as their config. */
const BLOBS = 5

interface Building extends Subject {
  readonly place: Place
  readonly code: Code
  readonly tars: BucketTars
  /** In milliseconds. */
  readonly startedAt: number
}

async function buildImage(work: Work, building: Building): Promise<PendingImage> {
  const { analysis, place } = building
  const repository = await place.build(analysis.id)
  const shelf = { store: place.store, repository }
  const expected = place.store.prepareUploads(repository, BLOBS)
  try {
    const layer = begunLayer(work, building, shelf)
    const configIsThere = putAttachmentConfig(shelf)
    configIsThere.catch(() => {})
    const begun = { ...layer, configIsThere }
    const [image] = await awaitAll([
      putTogether(work, building, shelf, begun),
      layer.written,
      configIsThere,
    ])
    return image
  } finally {
    await expected.release()
  }
}

async function putTogether(
  work: Work,
  building: Building,
  shelf: ImageRepository,
  { descriptor: known, written, read, configIsThere }: Begun
): Promise<PendingImage> {
  const { log, platform, signing } = work
  const { analysis, code, masterImage, place, startedAt } = building
  const [{ base, unmounted }, layer, key] = await awaitAll([
    mountedBase(work, building, shelf),
    known,
    signing.keyFor(platform),
  ])
  const command = runCommand(masterImage, analysis, code.entrypoint)
  const madeOf = {
    analysisId: analysis.id,
    content: contentIn(work.command),
    base: { name: masterImage.virtualPath, digest: base.stored.digest },
  }
  const appended = [{ layer, createdBy: 'analysis code' }]
  const image = startImage(shelf.store, shelf.repository, base, appended, {
    entrypoint: command,
    labels: labelsOf(madeOf),
    tag: LATEST,
    unmounted,
    layersPushed: written,
  })
  const build = {
    ...madeOf,
    image,
    configIsThere,
    key,
    read,
    layer: layer.digest,
    command,
    startedAt,
  }
  await awaitAll([
    log.stage(`Put the image together in ${place.name}`, () => image.pushed),
    log.stage(`Sign the image in ${place.name}`, () => signBuild(work, shelf, build)),
  ])
  return image
}

/** What is built on, and what of it could not be mounted. */
async function mountedBase(
  { log, places }: Work,
  { masterImage: { virtualPath }, place }: Building,
  { store, repository }: ImageRepository
) {
  const base = await log.stage(`Find the image ${virtualPath} in ${place.name}`, () =>
    baseImage(places, place, virtualPath, log)
  )
  return { base, unmounted: await mountLayers(store, repository, base) }
}

interface BegunLayer extends PendingLayer {
  /** The digest of what is in each file, in hexadecimal digits, when the layer is known. */
  readonly read: ReadonlyMap<string, string>
}

interface Begun extends BegunLayer {
  readonly configIsThere: Promise<unknown>
}

/** The code, and what was in each of its files, as soon as they were read. */
function begunLayer(
  work: Work,
  { code, tars, place }: Building,
  { store, repository }: ImageRepository
): BegunLayer {
  const read = new Map<string, string>()
  const files = new CodeLayer(work.platform, tars, code, (path, sha256) => read.set(path, sha256))
  const { descriptor: known, written } = startLayer(store, repository, files.entries, {
    onBytes: progressOf(work, code),
  })
  const stage = `Write ${code.files.length} files into ${place.name}`
  const closed = work.log.stage(stage, () => written).finally(() => files.close())
  closed.catch(() => {})
  return { descriptor: known, written: closed, read }
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
