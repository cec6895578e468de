import { request } from 'node:http'
import { Readable } from 'node:stream'

/** Sends pieces of a known length, and counts the bytes of the answer; keeps the text of one that is short. */
export function exchange(
  method: string,
  url: string,
  { headers = {}, body = [] }: { headers?: Record<string, string>; body?: readonly Buffer[] } = {}
): Promise<{ bytes: number; text: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ bytes: number; text: string }>()
  const length = body.reduce((sum, chunk) => sum + chunk.length, 0)
  const sent = request(
    url,
    { method, headers: { ...headers, 'content-length': length } },
    async (response) => {
      let bytes = 0
      let text = ''
      try {
        for await (const chunk of response) {
          bytes += (chunk as Buffer).length
          if (bytes < 1024 ** 2) {
            text += chunk
          }
        }
        if (response.statusCode! >= 300) {
          throw new Error(`${response.statusCode}: ${text}`)
        }
        resolve({ bytes, text })
      } catch (error) {
        reject(error)
      }
    }
  )
  sent.once('error', reject)
  Readable.from(body).pipe(sent)
  return promise
}
