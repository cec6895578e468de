import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

import { VERSION } from '#kernel/version'
import { exportArchive } from '#oci/archive/export_archive'
import type { ImageRepository } from '#oci/copy_blob'
import { copyImage } from '#oci/copy_image'
import { isImageFailure } from '#oci/errors'
import type { StoredManifest } from '#oci/image_store'
import { parseImageName } from '#oci/image_names'
import { openImageStore } from '#oci/open_image_store'
import { KeyUnusable } from '#oci/signing/image_key'
import type { BuildFacts } from '#oci/signing/provenance'
import { signImage } from '#oci/signing/sign_image'
import { SigningKey } from '#oci/signing/signing_key'

import { ARCHITECTURES, type Architecture } from '#image/architectures'
import { currentCommit, revisionOf, type Commit } from '#image/commit'
import { ImageNotMade } from '#image/image_not_made'
import { findMissedUpdates } from '#image/missed_updates'
import type { ImageFacts } from '#image/run_config'
import { HubImage, writeIndex, type PlatformResult } from '#image/write_hub_image'

const HELP = `Makes the image of the hub from the current commit, in build/image.

npm run image                                 both variants, for amd64 and arm64
npm run image -- --arch amd64                 for one architecture
npm run image -- --key images.key             signed with a key of ECDSA P-256
npm run image -- --push registry.example.org/analysis-hub
npm run image -- --mirror http://mirror.example.org/debian
npm run image -- --check sbom.spdx.json       whether Debian has updates for the image of this bill

It needs npm, git and Debian's apt. REGISTRY_USER and REGISTRY_PASSWORD are the account for --push.`

const OPTIONS = {
  arch: { type: 'string', multiple: true },
  key: { type: 'string' },
  push: { type: 'string' },
  mirror: { type: 'string' },
  check: { type: 'string' },
  help: { type: 'boolean' },
} as const

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const FOLDER = join(ROOT, 'build/image')
const REPOSITORY = 'analysis-hub'
const MIB = 1024 ** 2

/** One of the two images, by its tag. */
interface Variant {
  readonly tag: string
  readonly facts: ImageFacts
}

await main().catch((error: unknown) => {
  if (!(error instanceof ImageNotMade || error instanceof KeyUnusable || isImageFailure(error))) {
    throw error
  }
  console.error((error as Error).message)
  process.exitCode = 1
})

async function main(): Promise<void> {
  const options = optionsOf(process.argv.slice(2))
  if (options.help) {
    return console.log(HELP)
  }
  if (options.check !== undefined) {
    return check(options.check, options.mirror)
  }
  const startedAt = new Date()
  const architectures = chosen(options.arch)
  const key = options.key === undefined ? undefined : await keyIn(options.key)
  const commit = await currentCommit(ROOT)
  await rm(FOLDER, { recursive: true, force: true })
  const target = {
    store: await openImageStore({ path: join(FOLDER, 'layout') }),
    repository: REPOSITORY,
  }
  const variants = [false, true].map((hasDatabase) => ({
    tag: hasDatabase ? `${VERSION}-embedded` : VERSION,
    facts: { version: VERSION, commit, hasDatabase },
  }))
  const results = await writeAll(target, architectures, variants, options.mirror)
  for (const [index, variant] of variants.entries()) {
    const platforms = results.map((result) => result[index]!)
    await finish(target, variant, platforms, { key, startedAt, push: options.push })
  }
  report(commit, key)
}

async function check(bill: string, mirror: string | undefined): Promise<void> {
  const { known, missed } = await findMissedUpdates(bill, mirror)
  for (const { name, version, newest } of missed) {
    console.log(`${name} ${version}: Debian has ${newest}`)
  }
  if (missed.length > 0) {
    throw new ImageNotMade('Debian has updates for this image: build it again.')
  }
  console.log(`All ${known} packages of Debian are the newest of their release and its updates.`)
}

function optionsOf(args: string[]) {
  try {
    return parseArgs({ args, options: OPTIONS }).values
  } catch (error) {
    throw new ImageNotMade(`${(error as Error).message}\n\n${HELP}`)
  }
}

function chosen(names: readonly string[] | undefined): readonly Architecture[] {
  const found = ARCHITECTURES.filter(({ debian }) => names?.includes(debian) ?? true)
  if (names && found.length !== new Set(names).size) {
    const known = ARCHITECTURES.map(({ debian }) => debian).join(' and ')
    throw new ImageNotMade(`--arch ${names.join(' ')}: only ${known} are known`)
  }
  return found
}

async function keyIn(file: string): Promise<SigningKey> {
  try {
    return SigningKey.fromPem(await readFile(file, 'utf8'), file)
  } catch (error) {
    throw error instanceof KeyUnusable ? error : ImageNotMade.becauseOf('reading the key', error)
  }
}

async function writeAll(
  target: ImageRepository,
  architectures: readonly Architecture[],
  variants: readonly Variant[],
  mirror: string | undefined
): Promise<PlatformResult[][]> {
  const results = []
  for (const architecture of architectures) {
    console.error(`Making the image for ${architecture.debian}.`)
    const write = async (image: HubImage) => {
      const written = []
      for (const { facts } of variants) {
        written.push(await image.write(facts))
      }
      return written
    }
    results.push(await HubImage.with(target, architecture, { root: ROOT, mirror }, write))
  }
  return results
}

interface Finish {
  readonly key: SigningKey | undefined
  readonly startedAt: Date
  readonly push: string | undefined
}

/** Joins the architectures of a variant, signs, exports and pushes it. */
async function finish(
  target: ImageRepository,
  { tag, facts }: Variant,
  platforms: readonly PlatformResult[],
  { key, startedAt, push }: Finish
): Promise<void> {
  const descriptors = platforms.map(({ descriptor }) => descriptor)
  const index = await writeIndex(target, tag, facts, descriptors)
  if (key) {
    await signAll(
      target,
      [...platforms.map(({ manifest }) => manifest), index],
      facts,
      key,
      startedAt
    )
  }
  const from = { ...target, reference: tag }
  const archive = join(FOLDER, `${REPOSITORY}-${tag}.tar`)
  await exportArchive(from, archive, { name: `localhost/${REPOSITORY}:${tag}` })
  console.log(`${REPOSITORY}:${tag}  ${index.digest}`)
  for (const { descriptor, unpacked } of platforms) {
    const size = (unpacked / MIB).toFixed(0)
    console.log(
      `  ${descriptor.platform?.architecture}  ${descriptor.digest}  ${size} MiB unpacked`
    )
  }
  if (push !== undefined) {
    const digests = [...descriptors, index].map(({ digest }) => digest)
    await pushTo(push, from, digests)
  }
}

async function signAll(
  target: ImageRepository,
  manifests: readonly StoredManifest[],
  { commit }: ImageFacts,
  key: SigningKey,
  startedAt: Date
): Promise<void> {
  const facts: BuildFacts = {
    name: 'hub',
    kind: 'hub',
    parameters: { revision: revisionOf(commit) },
    materials: [{ name: 'source', digest: `gitCommit:${commit.id}` }],
    builder: { id: 'urn:analysis-hub:image', version: VERSION },
    startedAt,
    finishedAt: new Date(),
  }
  for (const manifest of manifests) {
    await signImage(target, manifest, facts, key)
  }
}

async function pushTo(
  name: string,
  from: ImageRepository & { readonly reference: string },
  digests: readonly string[]
): Promise<void> {
  const slash = name.indexOf('/')
  const { repository } = parseImageName(name.slice(slash + 1))
  const { REGISTRY_USER: accountName, REGISTRY_PASSWORD: accountSecret } = process.env
  const store = await openImageStore({
    host: name.slice(0, slash),
    accountName,
    accountSecret,
  })
  try {
    const to = { store, repository }
    await copyImage(from, to)
    // The tag comes last, so that what it names is signed.
    for (const tag of [...(await attachedTo(from, digests)), from.reference]) {
      await copyImage({ ...from, reference: tag }, to, { tag })
    }
    console.log(`  pushed to ${name}:${from.reference}`)
  } finally {
    store.close()
  }
}

/** The tags of signatures, provenance and bills of materials. */
async function attachedTo(
  { store, repository }: ImageRepository,
  digests: readonly string[]
): Promise<string[]> {
  const prefixes = digests.map((digest) => `${digest.replace(':', '-')}.`)
  const tags = await store.tags(repository)
  return tags.filter((tag) => prefixes.some((prefix) => tag.startsWith(prefix)))
}

function report({ isModified }: Commit, key: SigningKey | undefined): void {
  console.log(`In ${FOLDER}: layout (for skopeo and others) and one archive per tag.`)
  console.log(
    key
      ? `Signed with the key ${key.public.fingerprint}.`
      : 'Not signed: --key names a file with a key.'
  )
  if (isModified) {
    console.log('Not reproducible: files differ from the commit.')
  }
}
