import { createWriteStream } from 'node:fs'
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'

import { EXIT } from '#hubctl/exit_codes'
import { pathOf } from '#hubctl/kinds/kind'
import { BUCKET_FILES } from '#hubctl/kinds/record_collections'
import type { Output } from '#hubctl/output/output'
import { progressOf, type Progress } from '#hubctl/output/progress'
import type { Api } from '#hubctl/platform/api'
import { boundedBody, BodyUnusable } from '#client/body'
import { Problem } from '#hubctl/problem'
import { sha256In, sha256Of } from './checksum.js'
import type { BucketFile } from './bucket_location.js'

const PART = '.part'
const PART_OF = '.part-of'

/** Downloads into a `.part` file and renames it once it is complete and its checksum matches. */
export async function download(
  api: Api,
  file: BucketFile,
  target: string,
  { isQuiet }: Output
): Promise<void> {
  await mkdir(dirname(target), { recursive: true })
  const bar = await progressOf(file.path, file.size ?? 0, isQuiet)
  try {
    const hash = await fetchRemaining(api, file, target, bar)
    await verifyChecksum(target, hash, file)
    await rename(target + PART, target)
    await rm(target + PART_OF, { force: true })
    bar.end(file.path)
  } catch (error) {
    bar.fail()
    throw error
  }
}

/** Requests only the bytes that are missing, if the file has not changed since. */
async function fetchRemaining(
  api: Api,
  { id, size }: BucketFile,
  target: string,
  bar: Progress
): Promise<string | undefined> {
  const part = target + PART
  const etag = await readFile(target + PART_OF, 'utf8').catch(() => undefined)
  const storedBytes = etag === undefined ? 0 : await sizeOf(part)
  if (etag !== undefined && storedBytes > 0 && storedBytes === size) {
    return sha256In(etag)
  }
  const response = await api.open(BUCKET_FILES.service, `${pathOf(BUCKET_FILES, id)}/stream`, {
    headers: {
      'accept': '*/*',
      'accept-encoding': 'identity',
      ...(storedBytes > 0 && { 'range': `bytes=${storedBytes}-`, 'if-range': etag! }),
    },
  })
  const isResumed = response.status === 206
  const current = response.headers.get('etag')
  await writeFile(target + PART_OF, current ?? '')
  await writePart(response, part, { offset: isResumed ? storedBytes : 0, size }, bar)
  return sha256In(current)
}

async function writePart(
  { body }: Response,
  part: string,
  { offset, size }: { readonly offset: number; readonly size: number | null },
  bar: Progress
): Promise<void> {
  let done = offset
  const counting = new Transform({
    transform(chunk: Buffer, _encoding, pass) {
      done += chunk.length
      bar.at(done)
      pass(null, chunk)
    },
  })
  try {
    const file = createWriteStream(part, { flags: offset > 0 ? 'a' : 'w' })
    const maxBytes = size === null ? Number.POSITIVE_INFINITY : size - offset
    await (body ? pipeline(boundedBody(body, { maxBytes }), counting, file) : writeFile(part, ''))
  } catch (error) {
    if (error instanceof BodyUnusable && error.problem !== 'brokeOff') {
      throw error
    }
    throw new Problem(
      EXIT.unreachable,
      `The download was interrupted: ${(error as Error).message}`,
      ['Run the same command again to resume it.']
    )
  }
}

async function verifyChecksum(target: string, hash: string | undefined, { path }: BucketFile) {
  if (hash !== undefined && (await sha256Of(target + PART)) !== hash) {
    await Promise.all([target + PART, target + PART_OF].map((file) => rm(file, { force: true })))
    throw new Problem(
      EXIT.failed,
      `The checksum of ${path} does not match; the download was discarded.`,
      ['Run the same command again.']
    )
  }
}

async function sizeOf(file: string): Promise<number> {
  const found = await stat(file).catch(() => undefined)
  return found?.size ?? 0
}
