import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { extname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'

import { blobsOf } from '#oci/manifests_of'
import type { ImageStore } from '#oci/image_store'
import type { PlatformImage } from '#oci/platform_image'
import { ImageRejected } from '#node/errors'
import { SYSTEM_ENVIRONMENT } from '#node/containers/system_environment'
import { runConfigOf } from './run_config.js'
import type { UnpackLimits, UnpackRequest } from './unpack_layers.js'
import type { UnpackAnswer } from './unpack_program.js'

const UNPACK_LIMITS: UnpackLimits = { maxBytes: 20 * 1024 ** 3, maxEntries: 1_000_000 }

const PROGRAM = fileURLToPath(
  new URL(`./unpack_program${extname(import.meta.url)}`, import.meta.url)
)
/** The memory limit. The names of a million files need less than half of it. */
const FLAGS = ['--max-old-space-size=512']

/**
 * Writes the layers of an image into a new folder, in order, in a separate process. Returns the number of unpacked
 * bytes.
 */
export async function unpackImage(
  store: ImageStore,
  image: PlatformImage,
  path: string,
  limits: UnpackLimits = UNPACK_LIMITS,
  signal?: AbortSignal
): Promise<number> {
  const { layers } = image.manifest
  const { diffIds } = image.config
  if (layers.length !== diffIds.length || blobsOf(image.stored).length !== layers.length + 1) {
    throw new ImageRejected('The image does not contain all the layers that it states')
  }
  const { workingFolder } = runConfigOf(image.config)
  const request = {
    path,
    workingFolder,
    limits,
    layers: layers.map(({ mediaType, size }, index) => ({
      mediaType,
      size,
      diffId: diffIds[index]!,
    })),
  }
  return unpackApart(request, bytesOf(store, image), signal)
}

async function* bytesOf(store: ImageStore, { manifest, repository }: PlatformImage) {
  for (const layer of manifest.layers) {
    yield* store.readBlob(repository, layer)
  }
}

async function unpackApart(
  request: UnpackRequest,
  bytes: AsyncIterable<Uint8Array>,
  signal?: AbortSignal
): Promise<number> {
  signal?.throwIfAborted()
  const program = spawn(process.execPath, [...process.execArgv, ...FLAGS, PROGRAM], {
    env: SYSTEM_ENVIRONMENT,
    stdio: ['pipe', 'ignore', 'ignore', 'ipc'],
  })
  const kill = () => void program.kill('SIGKILL')
  signal?.addEventListener('abort', kill)
  const exited = once(program, 'exit')
  const answered = answerOf(program)
  try {
    program.send(request)
    const source = await pass(bytes, program)
    const answer = await answered
    signal?.throwIfAborted()
    if (source.error !== undefined) {
      throw source.error
    }
    return bytesIn(answer)
  } finally {
    kill()
    signal?.removeEventListener('abort', kill)
    await exited
  }
}

/** Sends the layers. Returns a failure of their source; if the program stops reading, its result says why. */
async function pass(
  bytes: AsyncIterable<Uint8Array>,
  program: ChildProcess
): Promise<{ readonly error?: unknown }> {
  let failure: { readonly error?: unknown } = {}
  async function* watched() {
    try {
      yield* bytes
    } catch (error) {
      failure = { error }
      program.kill('SIGKILL')
      throw error
    }
  }
  await pipeline(watched(), program.stdin!).catch(() => {})
  return failure
}

/** Undefined if the program ended without a result. */
function answerOf(program: ChildProcess): Promise<UnpackAnswer | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<UnpackAnswer | undefined>()
  program.once('message', (answer: UnpackAnswer) => resolve(answer))
  program.once('close', () => resolve(undefined))
  program.once('error', reject)
  return promise
}

function bytesIn(answer: UnpackAnswer | undefined): number {
  if (answer === undefined) {
    throw new ImageRejected('The image took more memory to unpack than a node gives to it')
  }
  if ('bytes' in answer) {
    return answer.bytes
  }
  throw answer.isOfImage ? new ImageRejected(answer.problem) : new Error(answer.problem)
}
