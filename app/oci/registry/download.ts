import { passOn } from '#kernel/passing_bytes'
import { BlobMissing, ImageFailure, RegistryAway, RegistryConfused } from '#oci/errors'
import type { BlobAddress } from '#oci/image_store'
import type { Answer } from './answer.js'
import type { RegistryClient } from './registry_client.js'
import { pulling } from './scopes.js'

/** The bytes of a blob as the registry sends them. A connection that breaks is made again for the rest. */
export async function* download(
  client: RegistryClient,
  repository: string,
  { digest, size }: BlobAddress
): AsyncGenerator<Buffer, void, undefined> {
  let at = 0
  let firstAt = 0
  for (let failures = 0; ;) {
    const answer = await ask(client, repository, digest, at)
    try {
      for await (const piece of rest(answer, at)) {
        failures = 0
        at += piece.length
        yield piece
      }
      if (at >= size) {
        return
      }
      throw new RegistryAway(`${client.host} broke off ${digest} after ${at} of ${size} bytes`)
    } catch (error) {
      client.throwIfStopped()
      const failure = passing(error, client.host)
      firstAt = failures === 0 ? performance.now() : firstAt
      failures++
      if (client.isGivenUp(failures, firstAt)) {
        throw failure
      }
      await client.rest(failures)
    }
  }
}

async function ask(
  client: RegistryClient,
  repository: string,
  digest: string,
  at: number
): Promise<Answer> {
  const answer = await client.ask({
    method: 'GET',
    at: `${repository}/blobs/${digest}`,
    scopes: [pulling(repository)],
    headers: { 'accept-encoding': 'identity', ...(at > 0 && { range: `bytes=${at}-` }) },
    expected: [200, 206, 404],
  })
  if (answer.status === 404) {
    answer.drop()
    throw new BlobMissing(repository, digest)
  }
  return answer
}

/** What of an answer comes after so many bytes: the rest that was asked for, or the whole for which it was not. */
async function* rest(answer: Answer, at: number): AsyncGenerator<Buffer, void, undefined> {
  if (answer.status === 206 && !answer.header('content-range')?.startsWith(`bytes ${at}-`)) {
    answer.drop()
    throw new RegistryConfused(`${answer.url.host} answers with another part than was asked for`)
  }
  let skipped = answer.status === 206 ? at : 0
  for await (const piece of answer.body()) {
    const start = Math.min(piece.length, at - skipped)
    skipped += start
    if (start < piece.length) {
      yield start === 0 ? passOn(piece) : piece.subarray(start)
    }
  }
}

/** What may go well the next time; all else is thrown. */
function passing(error: unknown, host: string): ImageFailure {
  if (error instanceof ImageFailure) {
    if (!error.isPassing) {
      throw error
    }
    return error
  }
  return new RegistryAway(`${host} broke off an answer`, error)
}
