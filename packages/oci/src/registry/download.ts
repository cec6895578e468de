import { markReleasable } from '#kernel/chunk_memory'
import {
  BlobMissing,
  ImageFailure,
  RegistryUnavailable,
  RegistryResponseInvalid,
} from '#oci/errors'
import type { BlobAddress } from '#oci/image_store'
import type { RegistryResponse } from './registry_response.js'
import type { RegistryClient } from './registry_client.js'
import { pullScope } from './scopes.js'

/** Streams a blob. If the connection breaks, it resumes at the current offset. */
export async function* download(
  client: RegistryClient,
  repository: string,
  { digest, size }: BlobAddress
): AsyncGenerator<Buffer, void, undefined> {
  let offset = 0
  let firstFailureAt = 0
  for (let failures = 0; ;) {
    const response = await requestBlob(client, repository, digest, offset)
    try {
      for await (const chunk of bytesAfter(response, offset)) {
        failures = 0
        offset += chunk.length
        yield chunk
      }
      if (offset >= size) {
        return
      }
      throw new RegistryUnavailable(
        `${client.host} closed the connection after ${offset} of ${size} bytes of ${digest}`
      )
    } catch (error) {
      client.throwIfAborted()
      const failure = requireTransient(error, client.host)
      firstFailureAt = failures === 0 ? performance.now() : firstFailureAt
      failures++
      if (client.isExhausted(failures, firstFailureAt)) {
        throw failure
      }
      await client.backOff(failures)
    }
  }
}

async function requestBlob(
  client: RegistryClient,
  repository: string,
  digest: string,
  offset: number
): Promise<RegistryResponse> {
  const response = await client.send({
    method: 'GET',
    at: `${repository}/blobs/${digest}`,
    scopes: [pullScope(repository)],
    headers: { 'accept-encoding': 'identity', ...(offset > 0 && { range: `bytes=${offset}-` }) },
    expected: [200, 206, 404],
  })
  if (response.status === 404) {
    response.discard()
    throw new BlobMissing(repository, digest)
  }
  return response
}

/** The bytes after `offset`: of a partial response, or of a complete one if the registry ignored the range. */
async function* bytesAfter(
  response: RegistryResponse,
  offset: number
): AsyncGenerator<Buffer, void, undefined> {
  if (
    response.status === 206 &&
    !response.header('content-range')?.startsWith(`bytes ${offset}-`)
  ) {
    response.discard()
    throw new RegistryResponseInvalid(`${response.url.host} returned another range than requested`)
  }
  let skipped = response.status === 206 ? offset : 0
  for await (const chunk of response.body()) {
    const start = Math.min(chunk.length, offset - skipped)
    skipped += start
    if (start < chunk.length) {
      yield start === 0 ? markReleasable(chunk) : chunk.subarray(start)
    }
  }
}

/** Converts connection errors. Throws errors that a retry cannot fix. */
function requireTransient(error: unknown, host: string): ImageFailure {
  if (error instanceof ImageFailure) {
    if (!error.isTransient) {
      throw error
    }
    return error
  }
  return new RegistryUnavailable(`${host} closed the connection within a response`, error)
}
