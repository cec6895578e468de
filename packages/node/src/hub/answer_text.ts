/** More than the largest answer that a hub gives, and little enough for the memory of a node. */
const MAX_BYTES = 64 * 1024 ** 2

/** The text of an answer. Throws if it is larger than a node takes, however long it goes on. */
export async function answerText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > MAX_BYTES) {
      throw new Error(`it has more than ${MAX_BYTES / 1024 ** 2} MiB`)
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
