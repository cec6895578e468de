import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'

import { DetailedError, Upload } from 'tus-js-client'

import { Refused } from '#client/failures'
import { EXIT } from '#hubctl/exit_codes'
import { pathOf } from '#hubctl/kinds/kind'
import { BUCKET_FILES } from '#hubctl/kinds/record_collections'
import type { Output } from '#hubctl/output/output'
import { progressOf } from '#hubctl/output/progress'
import type { Api } from '#hubctl/platform/api'
import { apiErrorOf } from '#hubctl/platform/api_error'
import { traceOfCaller } from '#hubctl/platform/trace_of_caller'
import { Problem } from '#hubctl/problem'
import { PendingUploads } from './pending_uploads.js'
import { sha256In, sha256Of } from './checksum.js'

interface UploadSource {
  readonly file: string
  readonly bucketId: string
  readonly path: string
}

/** Pauses between attempts after the connection was lost. */
const RETRY_DELAYS_MS = [500, 1_000, 3_000, 5_000, 10_000, 20_000]

/** Uploads a file in chunks, resumes an unfinished upload, and compares the checksums at the end. */
export async function upload(api: Api, source: UploadSource, { isQuiet }: Output): Promise<void> {
  const { size } = await stat(source.file)
  const bar = await progressOf(source.path, size, isQuiet)
  try {
    const id = await transferFile(api, source, size, (done) => bar.at(done))
    await verifyChecksum(api, id, source)
    bar.end(source.path)
  } catch (error) {
    bar.fail()
    throw error
  }
}

async function transferFile(
  api: Api,
  { file, bucketId, path }: UploadSource,
  size: number,
  onProgress: (done: number) => void
): Promise<string | undefined> {
  const endpoint = `${api.addresses.of('storage')}/buckets/${bucketId}/resumable`
  const { mtimeMs } = await stat(file)
  return new Promise((resolve, reject) => {
    const transfer = new Upload(createReadStream(file), {
      endpoint,
      uploadSize: size,
      metadata: { filename: path },
      retryDelays: RETRY_DELAYS_MS,
      urlStorage: new PendingUploads(),
      removeFingerprintOnSuccess: true,
      fingerprint: async () => [endpoint, path, size, mtimeMs].join(' '),
      onBeforeRequest: async (request) => {
        request.setHeader('authorization', `Bearer ${await api.token()}`)
        Object.entries(traceOfCaller()).forEach(([name, value]) => request.setHeader(name, value))
      },
      onProgress: onProgress,
      onError: (error) => void explainError(error).then(reject, reject),
      onSuccess: ({ lastResponse }) => resolve(lastResponse.getHeader('x-bucket-file-id')),
    })
    transfer.findPreviousUploads().then(([previous]) => {
      if (previous) {
        transfer.resumeFromPreviousUpload(previous)
      }
      transfer.start()
    }, reject)
  })
}

async function explainError(error: Error): Promise<Error> {
  const answer = error instanceof DetailedError ? error.originalResponse : null
  if (!answer) {
    return new Problem(EXIT.unreachable, `The upload was interrupted: ${error.message}`, [
      'Run the same command again to resume it.',
    ])
  }
  const response = new Response(answer.getBody() || null, { status: answer.getStatus() })
  return apiErrorOf(await Refused.from(response))
}

async function verifyChecksum(
  api: Api,
  id: string | undefined,
  { file, path }: UploadSource
): Promise<void> {
  if (id === undefined) {
    return
  }
  const [stored, own] = await Promise.all([readStoredHash(api, id), sha256Of(file)])
  if (stored !== undefined && stored !== own) {
    throw new Problem(EXIT.failed, `The checksum of ${path} does not match the uploaded file.`, [
      `If ${file} changed during the upload, delete it there and upload it again.`,
    ])
  }
}

async function readStoredHash(api: Api, id: string): Promise<string | undefined> {
  const path = `${pathOf(BUCKET_FILES, id)}/stream`
  const { headers } = await api.open(BUCKET_FILES.service, path, {
    method: 'HEAD',
    headers: { 'accept': '*/*', 'accept-encoding': 'identity' },
  })
  return sha256In(headers.get('etag'))
}
